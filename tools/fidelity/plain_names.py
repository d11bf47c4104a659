"""What plain language calls conditions and drugs, and the spellings that a medical word has."""

from __future__ import annotations

import re
from typing import Final

from tools.fidelity.name_index import folded

_TABLE: Final = """
    adrenaline: epinephrine
    alopecia: hair loss
    anaemia: low iron | too few red blood cells | low blood count
    analgesic: painkiller | pain relief | pain reliever
    anxiety: anxious
    antihypertensive: blood pressure drug | blood pressure medicine
    arrhythmia: irregular heartbeat | abnormal heart rhythm
    aspirin: acetylsalicylic acid
    atrial fibrillation: irregular heartbeat
    autism: autistic
    bacteriuria: bacteria in the urine
    cancer: carcinoma | tumour | malignant | malignancy
    carcinoma: cancer
    cardiac arrest: heart stops
    chemotherapy: anti-cancer drug | cancer drug
    cirrhosis: scarring of the liver | liver scarring
    conjunctivitis: pink eye
    corticosteroid: steroid
    dementia: alzheimer
    depression: depressive | depressed
    diabetes: diabetic | high blood sugar
    diarrhoea: loose stools
    dysmenorrhoea: period pain | painful periods | menstrual pain | menstrual cramps
    dyspepsia: indigestion
    dysphagia: difficulty swallowing | trouble swallowing | swallowing problem
    dyspnoea: shortness of breath | breathlessness | difficulty breathing
    dysuria: painful urination | pain when passing urine
    ectopic pregnancy: pregnancy outside the womb
    encephalopathy: brain damage | brain disease
    enuresis: bedwetting
    epilepsy: epileptic | seizure | fit
    erythema: redness
    fatigue: tired | tiredness
    fever: high temperature
    fracture: broken bone | broken | breaking
    gastroenteritis: stomach flu | stomach bug
    haematoma: bruise | bruising | collection of blood
    haemorrhage: bleeding | bleed | loss of blood
    haemorrhoid: piles
    heart failure: failing heart
    herpes zoster: shingles
    hypercholesterolaemia: high cholesterol
    hyperglycaemia: high blood sugar
    hyperlipidaemia: high blood fat | high cholesterol | high fat level
    hypersensitivity: allergy | allergic
    hypertension: high blood pressure | raised blood pressure
    hyperthyroidism: overactive thyroid
    hypoglycaemia: low blood sugar
    hypokalaemia: low potassium
    hypotension: low blood pressure
    hypothermia: low body temperature
    hypothyroidism: underactive thyroid
    hypoxaemia: low blood oxygen | low oxygen
    hypoxia: low oxygen | lack of oxygen
    incontinence: leakage of urine | leaking urine | urine leakage
    infarction: heart attack | tissue death
    infection: infected
    infertility: infertile | subfertility | trouble conceiving
    influenza: flu
    insomnia: sleeplessness | trouble sleeping | sleep problem
    intracranial haemorrhage: bleeding in the brain | brain bleed
    ischaemia: reduced blood flow | poor blood flow | lack of blood flow | blocked blood flow
    ischaemic stroke: stroke caused by a blood clot
    jaundice: yellowing
    leukaemia: blood cancer
    lymphoedema: swelling
    melanoma: skin cancer
    miscarriage: pregnancy loss | loss of pregnancy
    myocardial infarction: heart attack
    myopia: short-sightedness | nearsightedness | short-sighted | nearsighted
    nausea: feeling sick | sickness
    nephropathy: kidney disease | kidney damage
    neuropathy: nerve damage | nerve disease
    neutropenia: low white blood cell count | low white cell count
    obesity: obese | very overweight
    oedema: swelling | fluid retention
    opioid: opiate
    osteoarthritis: wear and tear arthritis
    osteoporosis: brittle bones | weak bones
    otitis media: ear infection | middle ear infection
    pain: painful
    paracetamol: acetaminophen
    peritonitis: infection of the abdomen | infection of the lining of the abdomen
    pharyngitis: sore throat
    pneumonia: lung infection
    pre-eclampsia: high blood pressure in pregnancy
    proteinuria: protein in the urine
    pruritus: itching | itch
    pulmonary embolism: blood clot in the lung
    pyrexia: fever | high temperature
    radiotherapy: radiation | radiation therapy
    RCT: randomised trial | trial | study
    renal failure: kidney failure
    retinopathy: eye damage | eye disease
    rhinitis: hay fever | runny nose
    schizophrenia: schizophrenic
    seizure: fit | convulsion
    sepsis: blood poisoning
    stenosis: narrowing
    stillbirth: stillborn
    thrombocytopenia: low platelet | low platelet count
    thromboembolism: blood clot
    thrombosis: blood clot | clot
    tonsillitis: sore throat
    tumour: cancer | growth
    ulcer: open sore | sore
    urticaria: hives
    vaccine: vaccination | vaccinated | immunisation
    vertigo: dizziness
    vomiting: vomit | being sick | throwing up
"""
_ENDINGS: Final = (
    ("sis", "tic"),
    ("emia", "emic"),
    ("hypoxia", "hypoxic"),
    ("itis", "itic"),
    ("pathy", "pathic"),
    ("penia", "penic"),
    ("phrenia", "phrenic"),
    ("plegia", "plegic"),
    ("tension", "tensive"),
    ("lepsy", "leptic"),
    ("asthma", "asthmatic"),
    ("trophy", "trophic"),
)
"""Endings of a condition and of its adjective: a cirrhotic patient has cirrhosis."""


_DIGRAPH: Final = re.compile("[ao]e", re.IGNORECASE)


def american(text: str) -> str:
    """A text in a spelling in which "anaemia" and "anemia" are one; made to be compared, not to be read."""
    return _DIGRAPH.sub("e", text).replace("umour", "umor")


def _key(name: str) -> str:
    return " ".join(folded(american(name)))


def _table() -> dict[str, list[str]]:
    lines = (line.split(": ") for line in _TABLE.strip().splitlines())
    return {_key(name): plain.split(" | ") for name, plain in lines}


_PLAIN: Final = _table()


def forms(name: str) -> list[list[str]]:
    """What may stand for a name in another text, each as folded words: itself, its adjective, its plain words."""
    key = _key(name)
    adjectives = [key.removesuffix(noun) + adjective for noun, adjective in _ENDINGS if key.endswith(noun)]
    return [folded(american(form)) for form in (key, *adjectives, *_PLAIN.get(key, ()))]


def explained_names() -> list[str]:
    """The names that have plain words in the table."""
    return [line.split(": ")[0].strip() for line in _TABLE.strip().splitlines()]
