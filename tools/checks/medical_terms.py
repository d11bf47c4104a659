"""Names of drugs and conditions: how they are found in a sentence, and what plain language calls them.

Medicine writes most of them in small letters, so they are known by their spelling: drugs by the stems of their
international nonproprietary names ("-mab", "-pril", "-statin"), conditions by their Greek and Latin endings ("-itis",
"-aemia"), and some that have neither by a list.
"""

from __future__ import annotations

import re
from typing import Final

from tools.checks.fidelity import Name, folded

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


_ROWS: Final = (line.strip().partition(": ") for line in _TABLE.strip().splitlines())
_EXPLAINED: Final = {name: plain.split(" | ") for name, _, plain in _ROWS}
_PLAIN: Final = {_key(name): plain for name, plain in _EXPLAINED.items()}


def forms(name: str) -> list[list[str]]:
    """What may stand for a name in another text, each as folded words: itself, its adjective, its plain words."""
    key = _key(name)
    adjectives = [key.removesuffix(noun) + adjective for noun, adjective in _ENDINGS if key.endswith(noun)]
    return [folded(american(form)) for form in (key, *adjectives, *_PLAIN.get(key, ()))]


_DRUG_STEMS: Final = """
    abine afil apine astine azepam azepine azole azoline bactam barbital caine cillin ciclovir codone coxib curium
    curonium cycline dipine dopa dronate dronic entanil entanyl faxine fenac feron fibrate floxacin flurane formin
    gabalin gatran giline gliflozin gliptin glitazone glutide grel lukast mab micin mustine mycin nib nidazole olol
    olone oprost oxacin oxetine oxicam oxone parin penem peridone phenidate phylline piprazole platin poetin pramine
    prazole pril profen racetam relin rubicin sartan semide setron sone statin stigmine taxel tecan terol thiazide
    tidine tinib tocin triptan triptyline tropium uracil vaptan vir vudine xaban zolam
"""
_CONDITION_ENDINGS: Final = """
    aemia algia asthenia cytosis dynia ectasis emia iasis itis kinesia lepsy malacia megaly oedema edema oma opia osis
    paresis pathy penia phagia phobia phrenia plasia plegia pnea pnoea rrhage rrhea rrhoea thermia trophy uria
"""
_DRUGS: Final = """
    adrenaline amphetamine antibiotic antidepressant antipsychotic aspirin baclofen benzodiazepine caffeine chloroquine
    chemotherapy codeine corticosteroid cyclophosphamide cyclosporin cyclosporine digoxin epinephrine estrogen
    haloperidol insulin ketamine lithium magnesium methadone methotrexate morphine naltrexone nicotine oestrogen opioid
    oxytocin paracetamol acetaminophen phenytoin primaquine progesterone propofol quinine radiotherapy statin steroid
    sulphonylurea tamoxifen testosterone thalidomide triptan vaccine valproate warfarin zinc
"""
_CONDITIONS: Final = """
    allergy anxiety asthma autism cancer cholera coma constipation dementia depression diabetes eczema edema embolism
    epilepsy fatigue fever fracture gout hyperactivity hyperthyroidism hypothyroidism hypersensitivity hypertension
    hypotension hypoxia incontinence infection infertility influenza insomnia jaundice malaria measles migraine
    miscarriage nausea obesity oedema pain parkinsonism pneumonia sepsis seizure schizophrenia stillbirth stroke suicide
    tinnitus tumor tumour ulcer vomiting
"""
_LETTERED: Final = "(?:hepatitis|influenza|vitamin|haemophilia|hemophilia) [A-K]\\d{0,2}"
"""Names that a letter completes: hepatitis C is not hepatitis B."""
_NO_NAMES: Final = """
    diagnosis overdiagnosis misdiagnosis prognosis anastomosis apoptosis hypnosis meiosis mitosis orthosis osmosis
    symbiosis academia calciuria normothermia glycaemia glycemia allopathy antipathy empathy homeopathy homoeopathy
    naturopathy osteopathy sympathy telepathy aroma diploma stoma utopia ethiopia april cholesterol
"""
_EXCLUDED: Final = frozenset(_NO_NAMES.split())
"""Words with such an ending that name neither: acts (diagnosis), cell biology (mitosis), therapies that are named
like diseases (osteopathy), levels (glycaemia), a body's own substance (cholesterol), and plain words (april)."""


def _alternatives(words: list[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


_LISTED: Final = _alternatives([*_DRUGS.split(), *_CONDITIONS.split(), *_EXPLAINED])
_ENDED: Final = _alternatives([*_DRUG_STEMS.split(), *_CONDITION_ENDINGS.split()])
_MEDICAL: Final = re.compile(rf"(?i)\b(?:(?-i:{_LETTERED})|{_LISTED}|[^\W\d_]{{2,}}(?:{_ENDED}))s?\b")


def medical_names(sentence: str) -> list[Name]:
    """Finds the drugs and conditions of a sentence, in order."""
    found = (Name(match[0], match.start(), symbol=False) for match in _MEDICAL.finditer(sentence))
    return [name for name in found if name.text.casefold() not in _EXCLUDED]
