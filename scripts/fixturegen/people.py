"""Invents persons whose fields agree with each other.

The division part of every number ends in 99, which GB/T 2260 assigns nowhere, and the districts and streets do not
exist: a number drawn here belongs to nobody, although its check digit, birth date and gender digit are right.
"""

import datetime
import random
from dataclasses import dataclass

# Names are made of characters that the chi_sim model of Debian reads: the fixtures test the pipeline, not tesseract.
SURNAMES = "王李张刘陈杨黄赵周吴徐孙马朱胡郭何高林罗郑梁宋唐许韩冯邓曹彭曾肖田董袁于蔡杜叶程苏魏丁任沈姚姜钟陆范金石贾夏韦付方白邹秦江薛段雷龙史陶黎贺顾郝万钱"
GIVEN_MEN = "伟强军勇涛明超刚平辉鹏华波浩凯健俊帆志国建文海山江河林成光天永家正新东"
GIVEN_WOMEN = "芳娜敏静丽艳娟秀英桂红梅春兰雪云真月洁美文佳欣雨思语安宁晓青小玉"
ETHNICITIES = ("汉", "汉", "汉", "汉", "汉", "汉", "回", "满", "苗", "壮", "土家", "蒙古")
PLACES = (
    ("1101", "北京市"), ("3101", "上海市"), ("3201", "江苏省南京市"), ("3301", "浙江省杭州市"), ("3701", "山东省济南市"),
    ("4201", "湖北省武汉市"), ("4301", "湖南省长沙市"), ("4401", "广东省广州市"), ("5101", "四川省成都市"), ("6101", "陕西省西安市"),
)
DISTRICTS = ("明月区", "青河区", "东林区", "南山口区", "新安县", "白石区", "长青区", "大田县")
STREETS = ("明光路", "和平里大街", "青年路", "文化东路", "花园路", "建设大道", "东方红路", "金山街", "学院南路", "春风路")
WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
FOREVER = "长期"
FIELDS = {
    "front": ("name", "gender", "ethnicity", "birth", "address", "number"),
    "back": ("issuer", "valid_from", "valid_to"),
}


@dataclass(frozen=True)
class Person:
    """All that the two sides of one card say."""

    name: str
    gender: str
    ethnicity: str
    birth: datetime.date
    address: str
    number: str
    issuer: str
    valid_from: datetime.date
    valid_to: "datetime.date | None"

    @property
    def validity(self):
        end = self.valid_to.strftime("%Y.%m.%d") if self.valid_to else FOREVER
        return f"{self.valid_from:%Y.%m.%d}-{end}"

    def truth(self, side):
        return {field: str(getattr(self, field) or FOREVER) for field in FIELDS[side]}


def check_digit(first17):
    """The eighteenth character of a number by GB 11643-1999 (ISO 7064 MOD 11-2)."""
    return "10X98765432"[sum(int(d) * w for d, w in zip(first17, WEIGHTS)) % 11]


def _validity(rng, birth):
    """A period as the law gives it for the holder's age, running in 2026 and beyond 2029."""
    while True:
        start = datetime.date(rng.randint(2011, 2025), rng.randint(1, 12), rng.randint(1, 28))
        age = start.year - birth.year - ((start.month, start.day) < (birth.month, birth.day))
        if age < 16:
            continue
        if age >= 46:
            return start, None
        end = start.replace(year=start.year + (10 if age <= 25 else 20))
        if end.year >= 2030:
            return start, end


def invent(rng, ends_in_x=None):
    """One person. `ends_in_x` asks for a number with (or without) the check digit X."""
    while True:
        person = _invent(rng)
        if ends_in_x is None or person.number.endswith("X") == ends_in_x:
            return person


def _invent(rng):
    woman = rng.random() < 0.5
    given = GIVEN_WOMEN if woman else GIVEN_MEN
    name = rng.choice(SURNAMES) + "".join(rng.choice(given) for _ in range(rng.choice((1, 2, 2))))
    code, place = rng.choice(PLACES)
    district = rng.choice(DISTRICTS)
    birth = datetime.date(rng.randint(1956, 2004), rng.randint(1, 12), rng.randint(1, 28))
    order = rng.randint(1, 99) * 10 + rng.randrange(0 if woman else 1, 10, 2)
    first17 = f"{code}99{birth:%Y%m%d}{order:03d}"
    address = f"{place}{district}{rng.choice(STREETS)}{rng.randint(2, 399)}号"
    if rng.random() < 0.7:
        address += f"{rng.randint(1, 28)}栋{rng.randint(1, 6)}单元{rng.randint(1, 32)}0{rng.randint(1, 4)}室"
    start, end = _validity(rng, birth)
    issuer = f"{place.rpartition('省')[2]}公安局{district[:-1]}分局" if district.endswith("区") else f"{district}公安局"
    gender, ethnicity, number = "女" if woman else "男", rng.choice(ETHNICITIES), first17 + check_digit(first17)
    return Person(name, gender, ethnicity, birth, address, number, issuer, start, end)


def stream(seed, *names):
    """A random source of its own for every thing drawn, so that adding one does not change the others."""
    return random.Random("/".join(str(n) for n in (seed, *names)))
