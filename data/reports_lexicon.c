/* reports_lexicon.c - see reports_lexicon.h. Words in the order of world.py. */
#include "reports_lexicon.h"

static const char *const names[] = {
    "Adam",  "Alan",  "Alba",  "Alma",  "Amos",  "Anna",  "Arlo",  "Axel",  "Ben",   "Bert",
    "Bill",  "Bo",    "Boris", "Bram",  "Bruno", "Cara",  "Carl",  "Carla", "Cleo",  "Clara",
    "Cora",  "Dan",   "Dana",  "Dario", "David", "Dean",  "Dina",  "Dora",  "Doris", "Ed",
    "Eli",   "Elias", "Ella",  "Elsa",  "Emil",  "Emma",  "Eric",  "Erin",  "Eva",   "Fay",
    "Felix", "Finn",  "Flora", "Frank", "Fred",  "Gail",  "Gary",  "Gina",  "Glen",  "Greta",
    "Gus",   "Hal",   "Hans",  "Harry", "Hazel", "Heidi", "Helen", "Henry", "Hugo",  "Ian",
    "Ida",   "Igor",  "Ines",  "Ira",   "Iris",  "Irma",  "Isaac", "Ivan",  "Ivo",   "Jack",
    "Jake",  "Jan",   "Jane",  "Jean",  "Jill",  "Joan",  "Joel",  "John",  "Jonas", "Josh",
    "Joy",   "Juan",  "Jude",  "Julia", "June",  "Karen", "Karl",  "Kate",  "Kay",   "Ken",
    "Kim",   "Kira",  "Klaus", "Lana",  "Lara",  "Lars",  "Laura", "Lea",   "Lena",  "Leo",
    "Liam",  "Lida",  "Lily",  "Linda", "Lisa",  "Liz",   "Lola",  "Lou",   "Lucas", "Lucy",
    "Luis",  "Luke",  "Luna",  "Mae",   "Mara",  "Marc",  "Maria", "Mark",  "Marta", "Mary",
    "Max",   "Maya",  "Mia",   "Mick",  "Mila",  "Milo",  "Mina",  "Moe",   "Mona",  "Nadia",
    "Nancy", "Nell",  "Nick",  "Nina",  "Noah",  "Nora",  "Olga",  "Olive", "Omar",  "Oscar",
    "Otto",  "Owen",  "Pablo", "Paul",  "Pedro", "Penny", "Peter", "Petra", "Phil",  "Rita",
    "Rosa",  "Ruth",  "Sam",   "Sara",  "Sean",  "Tina",  "Tom"};

static const char *const boxes[] = {
    "acorn",  "agate",  "alder",  "amber",  "anise",  "apple",   "aspen",   "aster",  "balsa",
    "basil",  "beech",  "beryl",  "birch",  "briar",  "cedar",   "cherry",  "chive",  "clove",
    "clover", "cobalt", "cocoa",  "coral",  "cotton", "cress",   "daisy",   "dill",   "elder",
    "elm",    "fennel", "fern",   "fig",    "flax",   "flint",   "garnet",  "ginger", "grape",
    "hazel",  "heath",  "holly",  "iris",   "ivory",  "ivy",     "jade",    "jasper", "jet",
    "kale",   "kelp",   "larch",  "laurel", "lemon",  "lichen",  "lilac",   "lily",   "lime",
    "linden", "lotus",  "mango",  "maple",  "marble", "mint",    "moss",    "myrtle", "nettle",
    "nutmeg", "oak",    "oat",    "olive",  "onyx",   "opal",    "orchid",  "palm",   "peach",
    "pear",   "pearl",  "pepper", "petal",  "pine",   "plum",    "poplar",  "poppy",  "quartz",
    "quince", "reed",   "rose",   "ruby",   "rye",    "saffron", "sage",    "sand",   "shale",
    "slate",  "sorrel", "spruce", "sumac",  "tansy",  "teak",    "thistle", "thyme",  "topaz",
    "tulip",  "turnip", "violet", "walnut", "wheat",  "willow",  "yarrow",  "yew",    "zinc"};

static const char *const items[] = {
    "anchor", "apron",  "arrow",  "badge",   "ball",   "basket", "bead",   "bell",    "belt",
    "blade",  "bolt",   "book",   "boot",    "bottle", "bowl",   "brick",  "broom",   "brush",
    "bucket", "button", "cable",  "camera",  "candle", "card",   "chain",  "chalk",   "clock",
    "coat",   "coin",   "comb",   "compass", "cord",   "cork",   "crown",  "cup",     "dart",
    "dice",   "dish",   "drum",   "feather", "flag",   "flute",  "fork",   "glove",   "gown",
    "hammer", "harp",   "hat",    "helmet",  "hook",   "horn",   "jar",    "kettle",  "key",
    "kite",   "knife",  "ladder", "lamp",    "lens",   "letter", "lock",   "locket",  "map",
    "mask",   "medal",  "mirror", "mug",     "nail",   "needle", "net",    "oar",     "paddle",
    "pan",    "pen",    "pencil", "phone",   "pin",    "pipe",   "plate",  "pot",     "purse",
    "ring",   "robe",   "rope",   "ruler",   "saddle", "scarf",  "shell",  "shirt",   "shoe",
    "spear",  "spoon",  "stamp",  "stool",   "sword",  "tent",   "ticket", "torch",   "towel",
    "toy",    "trophy", "vase",   "violin",  "wallet", "watch",  "whip",   "whistle", "wig"};

static const char *const colors[] = {
    "red",     "blue",   "green",  "black", "white",  "yellow", "brown",  "grey",
    "pink",    "purple", "orange", "gold",  "silver", "bronze", "beige",  "cream",
    "crimson", "navy",   "maroon", "teal",  "tan",    "azure",  "indigo", "magenta",
    "scarlet", "mauve",  "khaki",  "ebony", "copper", "plain",  "dark",   "pale"};

static const char *const materials[] = {"wooden", "iron", "steel",  "glass",   "paper",   "leather",
                                        "silk",   "wool", "rubber", "plastic", "brass",   "clay",
                                        "stone",  "tin",  "golden", "wicker",  "bamboo",  "linen",
                                        "velvet", "felt", "bone",   "nylon",   "granite", "satin"};

static const char *const objects[] = {
    "chair",   "table",   "bed",    "desk",     "boat",   "bike",    "cart",   "car",    "truck",
    "wagon",   "sled",    "canoe",  "raft",     "statue", "bench",   "couch",  "stove",  "piano",
    "guitar",  "trumpet", "banjo",  "cello",    "cabin",  "shed",    "barn",   "fence",  "gate",
    "mill",    "tower",   "bridge", "fountain", "chest",  "crate",   "barrel", "cradle", "swing",
    "tub",     "sink",    "carpet", "curtain",  "pillow", "blanket", "basin",  "ledger", "globe",
    "lantern", "easel",   "puzzle", "puppet",   "doll"};

static const char *const cities[] = {
    "Paris",  "London", "Rome",    "Berlin", "Madrid", "Lisbon",  "Vienna",  "Oslo",   "Dublin",
    "Athens", "Prague", "Warsaw",  "Cairo",  "Delhi",  "Tokyo",   "Seoul",   "Lima",   "Quito",
    "Bogota", "Havana", "Nairobi", "Lagos",  "Accra",  "Tunis",   "Riga",    "Minsk",  "Kiev",
    "Sofia",  "Bern",   "Geneva",  "Milan",  "Turin",  "Naples",  "Venice",  "Porto",  "Malaga",
    "Lyon",   "Nice",   "Bonn",    "Munich", "Bremen", "Hamburg", "Dresden", "Gdansk", "Turku",
    "Bergen", "Malmo",  "Perth",   "Sydney", "Osaka",  "Kyoto",   "Manila",  "Hanoi",  "Dhaka",
    "Lahore", "Kabul",  "Tehran",  "Dubai",  "Doha",   "Muscat",  "Dakar",   "Boston", "Denver",
    "Dallas", "Austin", "Tampa",   "Miami",  "Reno",   "Salem",   "Juneau"};

static const char *const companies[] = {
    "Velcor", "Veltech", "Veldyn", "Vellux", "Zancor", "Zantech", "Zandyn", "Zanlux",
    "Korcor", "Kortech", "Kordyn", "Korlux", "Tricor", "Tritech", "Tridyn", "Trilux",
    "Belcor", "Beltech", "Beldyn", "Bellux", "Norcor", "Nortech", "Nordyn", "Norlux",
    "Solcor", "Soltech", "Soldyn", "Sollux", "Daxcor", "Daxtech", "Daxdyn", "Daxlux",
    "Prycor", "Prytech", "Prydyn", "Prylux", "Quacor", "Quatech", "Quadyn", "Qualux",
    "Hexcor", "Hextech", "Hexdyn", "Hexlux", "Oricor", "Oritech", "Oridyn", "Orilux",
    "Lumcor", "Lumtech", "Lumdyn", "Lumlux", "Gercor", "Gertech", "Gerdyn", "Gerlux",
    "Faycor", "Faytech", "Faydyn", "Faylux", "Borcor", "Bortech", "Bordyn", "Borlux"};

static const char *const aliases[] = {
    "zorbo", "zortan", "zorix", "zorule", "wibbo", "wibtan", "wibix", "wibule", "nukbo", "nuktan",
    "nukix", "nukule", "vambo", "vamtan", "vamix", "vamule", "pelbo", "peltan", "pelix", "pelule",
    "gribo", "gritan", "griix", "griule", "tosbo", "tostan", "tosix", "tosule", "habbo", "habtan",
    "habix", "habule", "yilbo", "yiltan", "yilix", "yilule", "dufbo", "duftan", "dufix", "dufule",
    "mexbo", "mextan", "mexix", "mexule", "razbo", "raztan", "razix", "razule"};

static const char *const adjectives[] = {
    "muddy",  "young",  "quiet", "loud",  "warm",   "cold", "small",  "large",   "busy",  "calm",
    "clever", "gentle", "heavy", "light", "narrow", "wide", "bright", "damp",    "dusty", "dull",
    "hollow", "fresh",  "proud", "rusty", "slow",   "soft", "steep",  "strange", "tired", "wild"};

static const char *const nouns[] = {
    "river",   "hill",    "road",    "garden",  "market",  "window", "door",   "kitchen",
    "station", "museum",  "harbor",  "valley",  "bridge",  "baker",  "doctor", "farmer",
    "sailor",  "teacher", "painter", "driver",  "storm",   "winter", "summer", "morning",
    "evening", "dinner",  "dog",     "cat",     "horse",   "bird",   "train",  "ship",
    "letter",  "song",    "story",   "meeting", "village", "forest", "field",  "island"};

static const char *const verbs[] = {"passed",  "watched",   "followed",  "crossed", "reached",
                                    "visited", "liked",     "missed",    "painted", "noticed",
                                    "praised", "mentioned", "described", "left",    "remembered",
                                    "admired", "avoided",   "found",     "heard",   "met"};

static const char *const adverbs[] = {"slowly",  "often", "again", "today", "later",
                                      "quickly", "twice", "still", "there", "alone"};

#define POOL(name)                                                                                 \
    {                                                                                              \
        name, (int32_t)(sizeof name / sizeof *name)                                                \
    }

const rk_word_pool *rk_reports_words(rk_reports_pool pool)
{
    static const rk_word_pool pools[RK_REPORTS_POOLS] = {
        [RK_REPORTS_NAMES] = POOL(names),         [RK_REPORTS_BOXES] = POOL(boxes),
        [RK_REPORTS_ITEMS] = POOL(items),         [RK_REPORTS_COLORS] = POOL(colors),
        [RK_REPORTS_MATERIALS] = POOL(materials), [RK_REPORTS_OBJECTS] = POOL(objects),
        [RK_REPORTS_CITIES] = POOL(cities),       [RK_REPORTS_COMPANIES] = POOL(companies),
        [RK_REPORTS_ALIASES] = POOL(aliases),     [RK_REPORTS_ADJECTIVES] = POOL(adjectives),
        [RK_REPORTS_NOUNS] = POOL(nouns),         [RK_REPORTS_VERBS] = POOL(verbs),
        [RK_REPORTS_ADVERBS] = POOL(adverbs),
    };
    return &pools[pool];
}
