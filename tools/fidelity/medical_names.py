"""Finds names of drugs and conditions by their spelling, for medicine writes most of them in small letters.

Drugs are known by the stems of their international nonproprietary names ("-mab", "-pril", "-statin"), conditions by
their Greek and Latin endings ("-itis", "-aemia"), and some that have neither by a list.
"""

from __future__ import annotations

import re
from typing import Final

from tools.fidelity.names import Name
from tools.fidelity.plain_names import explained_names

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


_LISTED: Final = _alternatives([*_DRUGS.split(), *_CONDITIONS.split(), *explained_names()])
_ENDED: Final = _alternatives([*_DRUG_STEMS.split(), *_CONDITION_ENDINGS.split()])
_MEDICAL: Final = re.compile(rf"(?i)\b(?:(?-i:{_LETTERED})|{_LISTED}|[^\W\d_]{{2,}}(?:{_ENDED}))s?\b")


def medical_names(sentence: str) -> list[Name]:
    """Finds the drugs and conditions of a sentence, in order."""
    found = (Name(match[0], match.start(), symbol=False) for match in _MEDICAL.finditer(sentence))
    return [name for name in found if name.text.casefold() not in _EXCLUDED]
