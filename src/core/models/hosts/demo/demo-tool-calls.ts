import type { JsonObject } from '../../../../lib/json/json.ts';
import { readDemoChart } from './demo-charts.ts';
import { readDemoTask } from './demo-tasks.ts';

/** Detects questions that suit a tool and returns the arguments of the call. */
interface DemoToolUse {
  readonly tool: string;
  /** @param today date such as `2026-12-31`, if the system prompt names it. */
  readonly find: (question: string, today: string | undefined) => JsonObject | undefined;
}

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

function toQuery(match: RegExpExecArray | null): JsonObject | undefined {
  const query = match?.[1];
  return query === undefined ? undefined : { query };
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
