import type { JsonObject } from '../src/lib/json/json.ts';

function toQuery(match: RegExpExecArray | null): JsonObject | undefined {
  const query = match?.[1];
  return query === undefined ? undefined : { query };
}

/** Detects questions that suit a tool and returns the arguments of the call. */
interface DemoToolUse {
  readonly tool: string;
  /** @param today date such as `2026-12-31`, if the system prompt names it. */
  readonly find: (question: string, today: string | undefined) => JsonObject | undefined;
}

const CITIES: readonly (readonly [city: RegExp, zone: string])[] = [
  [/tokyo|токио/i, 'Asia/Tokyo'],
  [/london|лондон/i, 'Europe/London'],
  [/berlin|берлин/i, 'Europe/Berlin'],
  [/paris|париж/i, 'Europe/Paris'],
  [/moscow|москв/i, 'Europe/Moscow'],
  [/new york|нью-йорк/i, 'America/New_York'],
  [/sydney|сидне/i, 'Australia/Sydney'],
];
/** Detectors for the built-in tools. */
const TOOL_USES: readonly DemoToolUse[] = [
  {
    tool: 'read_web_page',
    find: (question) => {
      const url = /(?:read|open|summari[sz]e|прочитай|открой|перескажи)\s.{0,200}?(https?:\/\/\S+)/i.exec(
        question,
      )?.[1];
      return url === undefined ? undefined : { url };
    },
  },
  { tool: 'schedule_task', find: readDemoTask },
  {
    tool: 'list_tasks',
    find: (question) =>
      /^(?:what (?:have you|is) planned|(?:show|list) my (?:tasks|reminders)|что запланировано|покажи мои (?:задачи|напоминания))/i.test(
        question,
      )
        ? {}
        : undefined,
  },
  { tool: 'draw_chart', find: readDemoChart },
  {
    tool: 'web_search',
    find: (question) =>
      toQuery(
        /^(?:search the web|look on the web|поищи в (?:интернете|сети)|найди в (?:интернете|сети))\s(?:for\s)?(\S.{0,200})$/i.exec(
          question,
        ),
      ),
  },
  {
    tool: 'search_library',
    find: (question) =>
      toQuery(
        /^(?:search|find in|look in) my (?:files|documents|conversations|library)\s(?:for\s)?(\S.{0,200})$/i.exec(
          question,
        ) ?? /^(?:найди|поищи) в моих (?:файлах|документах|разговорах)\s(\S.{0,200})$/i.exec(question),
      ),
  },
  {
    tool: 'calculator',
    find: (question) => {
      const expression = /[\d(][\d\s.()]*(?:[-+*/×÷^]\s*[\d(][\d\s.()]*)+/.exec(question.slice(0, 500))?.[0].trim();
      return expression === undefined ? undefined : { expression };
    },
  },
  {
    tool: 'current_time',
    find: (question) => {
      if (!/what time|the time|what (day|date)|который час|сколько времени|какой сегодня|какое сегодня/i.test(question))
        return undefined;
      const zone = CITIES.find(([city]) => city.test(question))?.[1];
      return zone === undefined ? {} : { time_zone: zone };
    },
  },
  {
    tool: 'draw_picture',
    find: (question) => {
      const prompt = /^(?:please\s+)?(?:draw|paint|нарисуй)(?:\s+(?:me|мне))?\s+([\s\S]+)$/i.exec(question)?.[1];
      return prompt === undefined ? undefined : { prompt };
    },
  },
  {
    tool: 'remember',
    find: (question) => {
      const text = /^(?:please\s+)?(?:remember|запомни)(?:\s+that|,?\s+что)?[\s:,]+(\S.{0,250})$/i.exec(question)?.[1];
      return text === undefined ? undefined : { text };
    },
  },
  {
    tool: 'forget',
    find: (question) => {
      const text = /^(?:please\s+)?(?:forget|забудь)(?:\s+that|,?\s+что)?[\s:,]+(\S.{0,250})$/i.exec(question)?.[1];
      return text === undefined ? undefined : { text };
    },
  },
];

/** Returns a call that suits the question, of one of the tools with these names. */
export function findDemoToolUse(
  names: readonly string[],
  question: string,
  today: string | undefined,
): { readonly name: string; readonly parameters: JsonObject } | undefined {
  for (const { tool, find } of TOOL_USES) {
    const parameters = names.includes(tool) ? find(question, today) : undefined;
    if (parameters) return { name: tool, parameters };
  }
  return undefined;
}

const CHART = /(?:^|\s)(?:charts?|diagram|graph|диаграмм[ау]|график)(?=[\s:.,!]|$)/iu;

const ASKS = /^(?:please\s+)?(?:draw|show|make|нарисуй|покажи|построй)(?=\s)/iu;

/** `apples 3, pears 5`; `apples: 3`. */
const VALUES = /(\p{L}{1,40})(?:\s|:\s?)(\d{1,9}(?:\.\d{1,3})?)(?=[\s,;.!]|$)/giu;

const MAX_QUESTION = 500;

/** Numbers for a question without any. */
const MOONS = { labels: ['Mars', 'Uranus', 'Neptune', 'Jupiter'], values: [2, 28, 16, 95] };

/** Reads “draw a pie chart of apples 3, pears 5” as the arguments of `draw_chart`. */
function readDemoChart(question: string): JsonObject | undefined {
  if (question.length > MAX_QUESTION || !ASKS.test(question) || !CHART.test(question)) return undefined;
  const found = [...question.matchAll(VALUES)];
  const labels = found.map(([, label = '']) => label);
  const values = found.map(([, , value]) => Number(value));
  const table = found.length > 0 ? { labels, values } : MOONS;
  return {
    type: toType(question),
    title: found.length > 0 ? labels.join(', ') : 'Moons',
    labels: table.labels,
    series: [{ name: '', values: table.values }],
  };
}

function toType(question: string): 'pie' | 'lines' | 'bars' {
  if (/\bpie\b|кругов/i.test(question)) return 'pie';
  return /\bline|линейн|график/i.test(question) ? 'lines' : 'bars';
}

const REMIND = /^(?:please\s+|пожалуйста,?\s+)?(?:remind me|напомни(?:те)?(?:\s+мне)?)\s+(\S.{0,300})$/iu;

const AFTER =
  /(?:^|\s)(?:in|через)\s+(?:(\d{1,3}|an?|one)\s+)?(minutes?|hours?|минут[уы]?|час(?:а|ов)?|полчаса)(?=[\s.,!]|$)/iu;

const EVERY =
  /^(every day|every weekday|каждый день|каждый будний день|по будням)\s+(?:at|в)\s+(\d{1,2})(?::(\d{2}))?,?\s+(\S.{0,300})$/iu;

const LINKING = /^(?:to|of|about|that|о|об|про|что)\s+/iu;

/**
 * Reads a request such as “remind me in 5 minutes to drink tea” or “every weekday at 8 count to 5” as the arguments of
 * `schedule_task`.
 * @param today date such as `2026-12-31`, if the model knows it.
 */
function readDemoTask(question: string, today: string | undefined): JsonObject | undefined {
  const reminded = REMIND.exec(question)?.[1];
  const rest = reminded ?? question;
  const kind = reminded === undefined ? 'question' : 'reminder';
  const every = EVERY.exec(rest);
  if (every) {
    const [, days = '', hour = '', minute = '00', text = ''] = every;
    if (today === undefined) return undefined;
    const rrule = /week|будн/i.test(days) ? 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR' : 'FREQ=DAILY';
    return { kind, text: text.replace(LINKING, ''), at: `${today}T${hour.padStart(2, '0')}:${minute}`, rrule };
  }
  const after = reminded === undefined ? undefined : AFTER.exec(rest);
  if (!after) return undefined;
  const text = rest.replace(after[0], ' ').trim().replace(LINKING, '');
  return { kind, text: text === '' ? rest : text, in_minutes: toMinutes(after[1], after[2] ?? '') };
}

function toMinutes(amount: string | undefined, unit: string): number {
  const count = Number(amount) || 1;
  if (/^полчаса/i.test(unit)) return 30;
  return /^(?:hour|час)/i.test(unit) ? count * 60 : count;
}
