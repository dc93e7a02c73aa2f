"""Small histories by name; cases.py writes them with what roster.py says of them.

An act is written `name: author does what <- basis`. A device is a person's name and a number; `ada1` is the first of ada.
"""
from roster import Act, CAP, roster

CASES = []


def case(name, text, cap=CAP, why=""):
    acts = []
    for line in text.strip().splitlines():
        head, _, basis = line.partition("<-")
        name_, _, rest = head.partition(":")
        words = rest.split()
        device, kind, more = words[0], words[1], words[2:]
        person = device.rstrip("0123456789")
        options = dict(w.split("=") for w in more if "=" in w)
        subject = next((w for w in more if "=" not in w and w not in ("approve", "stands")), "")
        acts.append(Act(kind, person, "" if kind == "cut" else device, subject, frozenset(basis.split()),
                        rank=int(options.get("rank", 0)), time=int(options.get("time", 0)),
                        expires=int(options.get("expires", 0)), approve="approve" in more,
                        number=int(options.get("number", 0)), stands="stands" in more, name=name_.strip()))
    out = roster(acts, cap)
    assert roster(acts[::-1], cap).result() == out.result(), name
    CASES.append((name, acts, cap))


BASE = """
c: olga1 create
a: olga1 admin ada rank=1 <- c
b: olga1 admin ben rank=2 <- a
m: olga1 add mia <- b
"""


def on(name, text, why="", **more):
    case(name, BASE + text.strip("\n"), why=why, **more)


case("founding", "c: olga1 create")
case("nothing without the founding", "a: olga1 add ada <- c")
on("founding with admins and a member", "")
on("an admin adds", "x: ada1 add noa <- m")
on("a member adds nobody", "x: mia1 add noa <- m")
on("a stranger adds nobody", "x: eve1 add eve <- m")
on("an admin makes no admin", "x: ada1 admin mia rank=3 <- m")
on("an admin does not make himself more senior", "x: ben1 admin ben rank=1 <- m")
on("a rank is one person's", "x: olga1 admin mia rank=2 <- m")
on("a rank stands", "x: olga1 admin ben rank=5 <- m")
on("an act waits for its basis", "x: ada1 add noa <- m lost")
on("what follows a waiting act waits", "x: ada1 add noa <- lost\ny: ada1 add leo <- x")
on("an admin removes a member", "x: ben1 remove mia <- m")
on("a senior removes a junior admin", "x: ada1 remove ben <- m")
on("a junior removes no senior", "x: ben1 remove ada <- m")
on("nobody removes the owner", "x: ada1 remove olga <- m")
on("nobody demotes the owner", "x: ada1 demote olga <- m")
on("a demoted admin stays a member", "x: olga1 demote ben <- m\ny: ben1 add noa <- x")
on("a member is not demoted", "x: ada1 demote mia <- m")
on("add beside a removal: the removal wins", "x: ada1 remove mia <- m\ny: ben1 add mia <- m")
on("mutual removal: the senior wins", "x: ada1 remove ben <- m\ny: ben1 remove mia <- m\nz: ben1 remove ada <- m")
on("demotion beside what the demoted does", "x: olga1 demote ben <- m\ny: ben1 remove mia <- m\nz: ben1 add noa <- m",
   "both are undecided; an admin may accept them")
on("what is in the basis of a demotion stands", "y: ben1 add noa <- m\nx: olga1 demote ben <- y")
on("a chain of removals", "x: olga1 remove ada <- m\ny: ada1 remove ben <- m\nz: ben1 add noa <- m",
   "ada's removal of ben does not count, so what ben did does")
on("a removal that somebody removed has made, seen by the remover", "y: ada1 remove ben <- m\nx: olga1 remove ada <- y\nz: ben1 add noa <- m")
on("a backdated add", "x: olga1 remove ben <- m\ny: ben1 add eve <- c a b", "ben signs it later, with an old basis")
on("a backdated removal", "x: olga1 remove ben <- m\ny: ben1 remove mia <- b")
on("an ex-admin signs another act of the same basis", "y: ben1 remove mia <- m\nx: olga1 remove ben <- y\nz: ben1 add mia <- m",
   "the removal that olga has seen stands")
on("an ex-admin forks what he was removed with", "y: ben1 add noa <- m\nx: ada1 remove ben <- y\nz: ben1 add eve <- m\nw: ben1 remove noa <- y")
on("add by a junior of whom a senior removed", "x: ada1 remove mia <- m\ny: ben1 add mia <- x")
on("add by the same person", "x: ben1 remove mia <- m\ny: ben1 add mia <- x")
on("add by a more senior person", "x: ben1 remove mia <- m\ny: ada1 add mia <- x")
on("two removals, one lifted", "x: ada1 remove mia <- m\nw: ben1 remove mia <- m\ny: ben1 add mia <- w\nz: olga1 tie <- x y")
on("a re-added admin has no rank", "x: olga1 remove ben <- m\ny: olga1 add ben <- x\nz: ben1 add noa <- y")
on("a new grant gives the old rank", "x: olga1 remove ben <- m\ny: olga1 admin ben rank=2 <- x\nz: ben1 add noa <- y")
on("a new grant does not bring back what was undone", "w: ben1 add eve <- m\nx: olga1 remove ben <- m\ny: olga1 admin ben rank=2 <- x w")
on("a grant beside a removal", "x: ada1 remove mia <- m\ny: olga1 admin mia rank=3 <- m\nz: mia1 add noa <- y",
   "the removal wins until the owner, who knows of it, grants again")
on("a grant that makes more senior, beside a junior's removal", "x: ben1 remove mia <- m\ny: olga2 admin mia rank=1 <- c\nz: mia1 remove ben <- x y",
   "ada and mia have one rank, told apart by their ids; ben's removal of mia is undecided, so mia's of ben counts")
on("a rank that two people have is given again", "y: olga2 admin mia rank=2 <- a\nx: ada1 remove ben <- m\nz: olga1 admin ben rank=2 <- x y")
on("a removal with an older basis undoes what came since", "v: ben1 remove mia <- m\nw: ben1 add eve <- v\nx: olga1 remove ben <- m\nz: olga1 tie <- w x",
   "olga has seen both, and leaves them out of her basis")
on("the end of a link with an older basis undoes who came since", "l: ben1 link <- m\nj: eve1 join l <- l\nx: olga1 endlink l <- l\nz: olga1 tie <- j x")
on("accept of an undecided add", "x: olga1 demote ben <- m\ny: ben1 add noa <- m\nz: ada1 accept y <- x y")
on("accept of an undecided removal", "x: olga1 demote ben <- m\ny: ben1 remove mia <- m\nz: ada1 accept y <- x y")
on("a member accepts nothing", "x: olga1 demote ben <- m\ny: ben1 add noa <- m\nz: mia1 accept y <- x y")
on("what one might not do one does not accept", "x: olga1 remove ada <- m\ny: ada1 remove ben <- m\nw: olga1 admin lea rank=3 <- x\nz: lea1 accept y <- w y")
on("accept beside the removal of who accepts", "x: olga1 remove ben <- m\ny: ben1 add noa <- m\nz: ada1 accept y <- x y\nw: olga1 remove ada <- x")
on("an undecided act that comes about anyway is settled", "x: olga1 demote ben <- m\ny: ben1 add noa <- m\nz: olga1 add noa <- x")
on("leaving", "x: mia1 leave <- m")
on("leave and return", "x: mia1 leave <- m\ny: ben1 add mia <- x")
on("add beside leaving", "x: mia1 leave <- m\ny: ben1 add mia <- m")
on("an admin leaves and is added", "x: ben1 leave <- m\ny: ada1 add ben <- x\nz: ben1 add noa <- y")
on("the owner leaves and returns", "x: olga1 leave <- m\ny: olga1 add mia <- x\nz: olga1 add olga <- y")
on("a stranger leaves", "x: eve1 leave <- m")
LINK = "l: ben1 link time=10 <- m\n"
on("coming by a link", LINK + "j: zoe1 join l time=11 <- l")
on("a link that was never seen", LINK + "j: zoe1 join l time=11 <- m")
on("a link by a member", "l: mia1 link <- m\nj: zoe1 join l <- l")
on("a link with approval", "l: ben1 link approve <- m\nj: zoe1 join l <- l")
on("approved", "l: ben1 link approve <- m\nj: zoe1 join l <- l\ny: ada1 add zoe <- j")
on("accepted", "l: ben1 link approve <- m\nj: zoe1 join l <- l\ny: ada1 accept j <- j")
on("a link in time", "l: ben1 link time=10 expires=20 <- m\nj: zoe1 join l time=20 <- l")
on("a link too late", "l: ben1 link time=10 expires=20 <- m\nj: zoe1 join l time=21 <- l")
on("a join that has seen what came after the end", "l: ben1 link time=10 expires=20 <- m\ny: ada1 add leo time=30 <- l\nj: zoe1 join l time=15 <- y")
on("coming before the end of the link is seen", LINK + "j: zoe1 join l <- l\ne: ada1 endlink l <- j")
on("coming beside the end of the link", LINK + "j: zoe1 join l <- l\ne: ada1 endlink l <- l")
on("coming after a removal", LINK + "x: ada1 remove mia <- l\nj: zoe1 join l <- x", "a removal ends the links that who is out could know")
on("coming beside a removal, then accepted", LINK + "x: ada1 remove mia <- l\nj: zoe1 join l <- l\ny: ben1 accept j <- j x")
on("came before a removal", LINK + "j: zoe1 join l <- l\nx: ada1 remove mia <- j")
on("a link made after a removal", "x: ada1 remove mia <- m\nl: ben1 link <- x\nj: zoe1 join l <- l")
on("who was removed comes by a later link", "x: ada1 remove mia <- m\nl: ben1 link <- x\nj: mia1 join l <- l\nk: zoe1 join l <- l")
on("who has left comes by a link", LINK + "x: mia1 leave <- l\nj: mia1 join l <- x")
on("the link of a demoted admin", LINK + "x: olga1 demote ben <- l\nj: zoe1 join l <- l", "he has its key")
on("another's link outlives a demotion", "l: ada1 link <- m\nx: olga1 demote ben <- l\nj: zoe1 join l <- x")
on("a link made beside its maker's removal", LINK + "x: olga1 remove ben <- m\nj: zoe1 join l <- l x")
on("a cut device adds", "k: ben cut ben2 number=1 <- m\ny: ben2 add eve <- m")
on("what a device did before its cut stands", "y: ben2 add noa <- m\nk: ben cut ben2 number=1 <- y")
on("a cut takes back what its basis leaves out", "y: ben2 remove mia <- m\nk: ben cut ben2 number=1 <- m")
on("the latest word about a device counts", "y: ben2 add noa <- m\nk: ben cut ben2 number=1 <- m\ns: ben cut ben2 number=2 stands <- k")
on("a later cut with more in its basis", "y: ben2 add noa <- m\nk: ben cut ben2 number=1 <- m\ns: ben cut ben2 number=2 <- y k")
on("a cut device of the owner made an admin", "g: olga2 admin eve rank=9 <- m\nx: eve1 remove mia <- g\nk: olga cut olga2 number=1 <- m",
   "what rests on the grant falls with it")
on("the link of a cut device", "l: ben2 link <- m\nk: ben cut ben2 number=1 <- l\nj: zoe1 join l <- k")
on("who was removed undoes nothing by a cut", "y: ben2 remove mia <- m\nx: olga1 remove ben <- y\nk: ben cut ben2 number=1 <- m",
   "mia stays out: olga has seen the removal before the cut")
on("a cut that the remover knew", "y: ben2 remove mia <- m\nk: ben cut ben2 number=1 <- m\nx: olga1 remove ben <- y k")
on("cutting the device does not undo leaving", "x: mia1 leave <- m\nk: mia cut mia1 number=1 <- m")
on("an add that knows of the cut undoes leaving", "x: mia1 leave <- m\nk: mia cut mia1 number=1 <- m\ny: ben1 add mia <- k")
on("only the person cuts", "k: ada cut ben2 number=1 <- m\ny: ben2 add noa <- m")
on("the cap", "x: ben1 add noa <- m\ny: ben1 add leo <- x\nz: ada1 add zoe <- x", cap=6, why="whom a more senior brought goes first")
on("the cap with room again", "x: ben1 add noa <- m\ny: ben1 add leo <- x\nz: ada1 remove noa <- y", cap=5)

# What the first 87 leave open: which fault each catches is in `cases.py --check`.
case("seniority goes by rank, not by name", """
c: olga1 create
a: olga1 admin zed rank=1 <- c
b: olga1 admin ada rank=2 <- a
x: zed1 remove ada <- b
y: ada1 remove zed <- b
z: ada1 add noa <- b
""")
on("of two ranks that one person was given at once the smaller counts", "x: olga1 admin mia rank=7 <- m\ny: olga2 admin mia rank=3 <- m")
on("of two ranks that one person was given at once the smaller counts, the other way round",
   "x: olga1 admin mia rank=3 <- m\ny: olga2 admin mia rank=7 <- m")
on("who was removed does not come by a link of who removed them", "x: ada1 remove mia <- m\nl: ada1 link <- x\nj: mia1 join l <- l")
on("the cap keeps out whom an accept brings", "l: ben1 link approve <- m\nj: zoe1 join l <- l\nz: ben1 accept j <- j", cap=4,
   why="keys change after it, as after any add that the cap keeps out; vectors.json's model let it count")
