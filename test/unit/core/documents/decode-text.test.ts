import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DocumentUnreadableError } from '../../../../src/core/documents/index.ts';
import { decodeText } from '../../../../src/core/documents/readers/decode-text.ts';
import { countInputs } from '../../../support/vitest/tiers.ts';

const TONES = /[\u0300\u0301\u0303\u0309\u0323]/g;

const tables = new Map<string, ReadonlyMap<string, Buffer>>();

/** Real sentences, by the encodings of the language's old files. */
const SENTENCES: readonly (readonly [encodings: string, sentences: readonly string[]])[] = [
  [
    'gb18030 gbk',
    [
      '今天天气很好，我们一起去公园散步吧。',
      '请问这个多少钱？',
      '会议改到星期三下午两点，请准时参加。',
      '根据合同第五条，甲方应当在三十日内支付全部款项。',
      '床前明月光，疑是地上霜。举头望明月，低头思故乡。',
      '姓名,地址,电话\n张伟,北京市朝阳区建国路,13800000000',
    ],
  ],
  [
    'big5',
    [
      '今天天氣很好，我們一起去公園散步吧。',
      '請問這個多少錢？',
      '會議改到星期三下午兩點，請準時參加。',
      '根據合約第五條，甲方應於三十日內支付全部款項。',
      '姓名,地址,電話\n王小明,臺北市信義區,0912345678',
    ],
  ],
  [
    'shift_jis euc-jp iso-2022-jp',
    [
      '今日は天気がいいので、公園を散歩しましょう。',
      'これはいくらですか？',
      '会議は水曜日の午後二時に変更になりました。',
      '吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。',
      '氏名,住所,電話\n山田太郎,東京都千代田区丸の内,03-1234-5678\n鈴木花子,大阪市北区うめだ,06-1111-2222',
    ],
  ],
  [
    'euc-kr',
    [
      '오늘은 날씨가 좋으니 공원에 산책하러 갑시다.',
      '이것은 얼마입니까?',
      '회의가 수요일 오후 두 시로 변경되었습니다.',
      '모든 국민은 인간으로서의 존엄과 가치를 가지며, 행복을 추구할 권리를 가진다.',
      '이름,주소,전화\n김철수,서울특별시 종로구 세종대로,010-1234-5678',
    ],
  ],
  [
    'windows-1251 koi8-r ibm866',
    [
      'Привет, как дела?',
      'Сегодня хорошая погода, пойдём гулять в парк.',
      'Встреча перенесена на среду, на два часа дня.',
      'Согласно договору, оплата производится в течение тридцати дней.',
      'ДОГОВОР КУПЛИ-ПРОДАЖИ КВАРТИРЫ',
      'Имя;Адрес\nИванов Иван;Москва, ул. Ленина, 5',
    ],
  ],
  [
    'windows-1251 koi8-u',
    [
      'Сьогодні гарна погода, ходімо гуляти до парку.',
      'Зустріч перенесено на середу, на другу годину дня.',
      'Усі люди народжуються вільними і рівними у своїй гідності та правах.',
    ],
  ],
  [
    'windows-1251',
    [
      'Днес времето е хубаво, да отидем на разходка в парка.',
      'Састанак је померен за среду у два сата поподне.',
      'Сёння добрае надвор’е, пойдзем гуляць у парк.',
    ],
  ],
  [
    'windows-1252',
    [
      'Il fait beau aujourd’hui, allons nous promener à l’étang près du château.',
      'Où est la bibliothèque ? Ça coûte très cher.',
      'Die Prüfung findet am nächsten Mittwoch statt, bitte pünktlich erscheinen.',
      'Größe und Gewicht müssen übereinstimmen.',
      '¿Cuánto cuesta? El niño comió mañana con su señora.',
      'A reunião foi adiada; não há informações sobre as soluções.',
      'La città è più bella perché c’è il sole, però piove.',
      'Vädret är fint i dag, så vi går på en promenad längs ån.',
      'Været er fint, så vi går på tur når møtet er over. Blåbærsyltetøy.',
      'Það er gott veður í dag, við skulum ganga í garðinum.',
      'naïve café',
      'The price is £5 – or €6 – “as agreed”.',
    ],
  ],
  [
    'windows-1250 iso-8859-2',
    [
      'Dziś jest piękna pogoda, chodźmy na spacer do parku, żeby odpocząć.',
      'Zażółć gęślą jaźń.',
      'Příliš žluťoučký kůň úpěl ďábelské ódy.',
      'Schůzka byla přesunuta na středu, na druhou hodinu odpoledne.',
      'Ma szép idő van, menjünk sétálni, és együnk hűsítő gyümölcsöt a ződ fűben, erdőben.',
      'Kŕdeľ ďatľov učí koňa žrať kôru.',
      'Danas je lijepo vrijeme, idemo šetati u park, možda će biti i sladoleda. Čekam te žurno.',
    ],
  ],
  [
    'windows-1253',
    [
      'Σήμερα ο καιρός είναι καλός, ας πάμε μια βόλτα στο πάρκο.',
      'Η συνάντηση μεταφέρθηκε για την Τετάρτη στις δύο το μεσημέρι.',
      'Πόσο κάνει αυτό;',
    ],
  ],
  [
    'windows-1254',
    [
      'Bugün hava çok güzel, parka yürüyüşe gidelim, sonra çay içeriz.',
      'Toplantı çarşamba günü öğleden sonra saat ikiye alındı.',
      'Pijamalı hasta yağız şoföre çabucak güvendi.',
    ],
  ],
  [
    'windows-1255',
    ['היום מזג האוויר יפה, בואו נלך לטייל בפארק.', 'הפגישה נדחתה ליום רביעי בשעה שתיים.', 'כמה זה עולה?'],
  ],
  [
    'windows-1256',
    [
      'الطقس جميل اليوم، فلنذهب للتنزه في الحديقة.',
      'تم تأجيل الاجتماع إلى يوم الأربعاء الساعة الثانية.',
      'كم سعر هذا؟',
    ],
  ],
  [
    'windows-1257',
    [
      'Šiandien gražus oras, eikime pasivaikščioti į parką, ten mūsų laukia žmonės.',
      'Susitikimas perkeltas į trečiadienį, antrą valandą dienos, nes kėdžių nėra.',
      'Šodien ir jauks laiks, iesim pastaigāties uz parku, tur mūs gaida draugi un kūkas.',
      'Sanāksme pārcelta uz trešdienu, pulksten diviem dienā, jo nav krēslu.',
    ],
  ],
  [
    'windows-1258',
    [
      'Hôm nay trời đẹp, chúng ta hãy đi dạo trong công viên.',
      'Cuộc họp được chuyển sang thứ tư, lúc hai giờ chiều.',
      'Cái này giá bao nhiêu?',
    ],
  ],
  ['windows-874', ['วันนี้อากาศดี ไปเดินเล่นที่สวนสาธารณะกันเถอะ', 'การประชุมเลื่อนไปเป็นวันพุธเวลาบ่ายสองโมง']],
];

/** Returns the decoded text; undefined if it was refused. */
function decode(bytes: Buffer): string | undefined {
  try {
    return decodeText(bytes);
  } catch (error) {
    if (error instanceof DocumentUnreadableError) return undefined;
    throw error;
  }
}

const CASES = SENTENCES.flatMap(([encodings, sentences]) =>
  encodings.split(' ').map((encoding) => [encoding, sentences] as const),
);

describe('a text in an old encoding', () => {
  it.each(CASES)('is decoded from %s', (encoding, sentences) => {
    const all = [...sentences, sentences.join('\n')];
    const results = all.map((sentence) => decode(encodeLegacy(sentence, encoding)));
    // A few letters may be a text in more than one encoding.
    const decoded = results.filter((result) => result !== undefined);
    expect(decoded.length).toBeGreaterThan(all.length / 3);
    for (const [index, result] of results.entries())
      if (result !== undefined) expect(result).toBe(all[index]?.normalize('NFC'));
  });

  it('is decoded right or refused, never wrong: parts of sentences, in any order', () => {
    const anyCase = fc.constantFrom(...CASES);
    let decoded = 0;
    let refused = 0;
    fc.assert(
      fc.property(
        anyCase,
        fc.array(fc.nat(), { minLength: 1, maxLength: 4 }),
        fc.nat(),
        ([encoding, sentences], picks, cut) => {
          const whole = picks.map((pick) => sentences[pick % sentences.length]).join('\n');
          const characters = [...whole.normalize('NFC')];
          const text = characters.slice(0, 12 + (cut % characters.length)).join('');
          const result = decode(encodeLegacy(text, encoding));
          if (result === undefined) refused += 1;
          else {
            decoded += 1;
            expect(result).toBe(text);
          }
        },
      ),
      { numRuns: countInputs(1000) },
    );
    expect(decoded).toBeGreaterThan(9 * refused);
  });

  it('is refused if it is broken, or no text', () => {
    const chinese = encodeLegacy('今天天气很好，我们一起去公园散步吧。', 'gb18030');
    expect(decode(Buffer.concat([chinese, Buffer.of(0xff, 0xff), chinese]))).toBeUndefined();
    expect(
      decode(Buffer.from([0x50, 0x4b, 0x03, 0x04, 0xfe, 0xdc, 0x81, 0x8d, 0x8f, 0x90, 0x9d, 0xff])),
    ).toBeUndefined();
    expect(decode(Buffer.from("{\\rtf1\\ansi\\ansicpg1251 \\'cf\\'f0\\'e8}"))).toBeUndefined();
    const noise = fc
      .uint8Array({ minLength: 200, maxLength: 400, min: 1 })
      .filter((bytes) => bytes.some((byte) => byte > 0x7f));
    fc.assert(
      fc.property(noise, (bytes) => {
        expect(decode(Buffer.from(bytes))).toBeUndefined();
      }),
    );
  });

  it('takes little time, however long it is', () => {
    const text = encodeLegacy(SENTENCES[0]?.[1].join('\n') ?? '', 'gb18030');
    const long = Buffer.concat(Array.from({ length: 20_000 }, () => text));
    const before = process.cpuUsage().user;
    expect(decode(long)).toHaveLength(20_000 * (SENTENCES[0]?.[1].join('\n').length ?? 0));
    expect((process.cpuUsage().user - before) / 1000).toBeLessThan(5000);
  });
});

/** Encodes a text in an older encoding, by the inverse of its decoder. @throws an Error if a character is not in it */
function encodeLegacy(text: string, encoding: string): Buffer {
  if (encoding === 'iso-2022-jp') return encodeIso2022(text);
  const table = tables.get(encoding) ?? createTable(encoding);
  tables.set(encoding, table);
  const encodeOne = (character: string): Buffer => {
    const known = character <= '\x7f' ? Buffer.from(character) : table.get(character);
    if (known) return known;
    // Vietnamese has its tone marks as characters of their own.
    const parts = character.normalize('NFD');
    const base = parts.replaceAll(TONES, '').normalize('NFC');
    if (base === character) throw new Error(`${character} is not in ${encoding}`);
    return Buffer.concat([base, ...(parts.match(TONES) ?? [])].map(encodeOne));
  };
  return Buffer.concat([...text].map(encodeOne));
}

function createTable(encoding: string): ReadonlyMap<string, Buffer> {
  const decoder = new TextDecoder(encoding);
  const table = new Map<string, Buffer>();
  const add = (bytes: Buffer) => {
    const character = decoder.decode(bytes);
    if ([...character].length === 1 && !/[\ufffd\0-\x7f]/.test(character) && !table.has(character))
      table.set(character, bytes);
  };
  for (let lead = 0x80; lead <= 0xff; lead++) add(Buffer.of(lead));
  if (!/^(?:windows|iso|koi8|ibm)/.test(encoding))
    for (let lead = 0x81; lead <= 0xfe; lead++)
      for (let trail = 0x40; trail <= 0xfe; trail++) add(Buffer.of(lead, trail));
  return table;
}

/** Writes Japanese between escape sequences, with the bytes of EUC-JP without their high bits. */
function encodeIso2022(text: string): Buffer {
  const parts = text.match(/[\0-\x7f]+|[^\0-\x7f]+/g) ?? [];
  return Buffer.concat(
    parts.map((part) =>
      part <= '\x7f'
        ? Buffer.from(part)
        : Buffer.concat([
            Buffer.from('\x1b$B'),
            encodeLegacy(part, 'euc-jp').map((byte) => byte & 0x7f),
            Buffer.from('\x1b(B'),
          ]),
    ),
  );
}
