/** Language with the encodings of its old text files. */
interface Alphabet {
  /** Labels of the Encoding Standard; the usual one first. */
  readonly encodings: readonly string[];
  /** Letters beyond ASCII, lower case, the most frequent first. */
  readonly letters: string;
  /** Frequent words of ASCII letters that the other languages lack. Default none. */
  readonly words?: string;
}

const CYRILLIC = ['windows-1251', 'koi8-u', 'ibm866'];
const CENTRAL = ['windows-1250', 'iso-8859-2'];

/** Languages with single-byte encodings. Frequencies are those of running text, roughly. */
export const ALPHABETS: readonly Alphabet[] = [
  { encodings: CYRILLIC, letters: 'оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё' },
  { encodings: CYRILLIC, letters: 'оанивтеріслкудмпязьгбчхйжїєцшющґф' },
  { encodings: CYRILLIC, letters: 'аоеитнрсвлкдпмзбяъугчщжцхшюйьф' },
  { encodings: ['windows-1251'], letters: 'аноіерслтдкўывпмяузьгбчйцжэхшюёф' },
  { encodings: ['windows-1251'], letters: 'аоиенртсјувкдмлпгзбшчцњљхжћђфџќѓѕ' },
  {
    encodings: ['windows-1252'],
    letters: 'éèñüçöáïóôâêàíäøå',
    words: 'the of and to in is for this that with by not if return',
  },
  { encodings: ['windows-1252'], letters: 'éàèêçùâîôûïëœüÿæ', words: 'le les des du une est dans pour et il pas' },
  { encodings: ['windows-1252'], letters: 'üäöß', words: 'der die das und ist nicht ein eine mit auf von' },
  { encodings: ['windows-1252'], letters: 'óíáéñúü¿¡', words: 'el los las del una por con su que en y' },
  { encodings: ['windows-1252'], letters: 'ãçáéíóêâõúàôü', words: 'os das dos uma em um que com por para ele' },
  { encodings: ['windows-1252'], letters: 'èàùòìéó', words: 'il gli di che una non per della sono con' },
  {
    encodings: ['windows-1252'],
    letters: 'äåöøæé',
    words: 'och att det som er og ikke ett et den han ei oli ja hyvin',
  },
  { encodings: ['windows-1252'], letters: 'íðáóþéöæúý' },
  { encodings: ['windows-1252'], letters: 'àéèíóòçïúü·' },
  { encodings: CENTRAL, letters: 'łęąóżśćźń', words: 'nie na jest do w z i od po ale lub dla' },
  { encodings: CENTRAL, letters: 'íáěéýřščžůúťďňó', words: 'se je na byla nelze ve ale nebo pro aby' },
  { encodings: CENTRAL, letters: 'áíéýčžľšúťôóňďäŕĺ' },
  { encodings: CENTRAL, letters: 'áéőöíóüúű', words: 'az nem hogy egy vagy mert van volt' },
  { encodings: CENTRAL, letters: 'ăîşţâ', words: 'nu este cu care din pentru sau fost' },
  { encodings: CENTRAL, letters: 'šžčćđ', words: 'nije je bila ili da ni bil jako pa' },
  { encodings: ['windows-1253'], letters: 'ατοιεσνρηπκμυλςίγάέδόθύήώχωβφξζψϊϋΐ' },
  { encodings: ['windows-1254'], letters: 'ıüşğçöîâû', words: 've bir bu ile de da gibi sonra' },
  { encodings: ['windows-1255'], letters: 'יוהלארתבשמםנדקעחכפןסטגצזךףץ' },
  { encodings: ['windows-1256'], letters: 'اليمنرتوهبةعدسفكحقأجىشصخطإضغذءزثئآظؤپچگژ،؟' },
  { encodings: ['windows-1257'], letters: 'ėįšųžčūąę', words: 'ir kad jis buvo yra labai apie nuo ten nes jau bet' },
  { encodings: ['windows-1257'], letters: 'āīēšņļūžčģķ', words: 'un ir uz kas par no vai tur jo bet' },
  { encodings: ['windows-1257'], letters: 'äõüöšž', words: 'ja ei oli ta kui mis on' },
  { encodings: ['windows-1258'], letters: 'đươêôâă\u0301\u0300\u0323\u0309\u0303áàảãạéèẻẽẹíìỉĩịóòỏõọúùủũụýỳỷỹỵ' },
  { encodings: ['windows-874'], letters: 'านรก่อเ้งมยลัวดทีสตะ็ิปคบหแุจพชขใไโื์ูผถซำฉฐศธณษญภฟฏฎฆฬฮฯๆึฝฑฒฌ๊๋' },
];

/** Most frequent characters of running text. */
export const FREQUENT = {
  simplifiedChinese:
    '的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重号市省区县路电话姓名址公司月元价款合同表单位数量编件附注说书请收付项目京海广州东西南北张王李刘陈',
  traditionalChinese:
    '的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡用道行所然家種事成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心本前開但因只從想實日軍者意無力它與長把機十民第公此已工使情明性知全三又關點正業外將兩高間由問很最重號市省區縣路電話姓名址公司月元價款約表單位數量編件附注說書請收付項目京海廣州東西南北張王李劉陳',
  korean:
    '이다는의에을하가고지를은기로한도사리인대서어나자시그해일들있것수보아라면게과전정스부여오구생만제동상주원장마우성경문었으않없니까요합습와저내말할때모공국거안비미세신조용물김박최이름주소전화번호서울특별광역도로동층월년일회사계약금액',
} as const;
