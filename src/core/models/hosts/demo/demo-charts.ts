import type { JsonObject } from '../../../../lib/json/json.ts';

const CHART = /(?:^|\s)(?:charts?|diagram|graph|диаграмм[ау]|график)(?=[\s:.,!]|$)/iu;
const ASKS = /^(?:please\s+)?(?:draw|show|make|нарисуй|покажи|построй)(?=\s)/iu;
/** `apples 3, pears 5`; `apples: 3`. */
const VALUES = /(\p{L}{1,40})(?:\s|:\s?)(\d{1,9}(?:\.\d{1,3})?)(?=[\s,;.!]|$)/giu;
const MAX_QUESTION = 500;

/** Numbers for a question without any. */
const MOONS = { labels: ['Mars', 'Uranus', 'Neptune', 'Jupiter'], values: [2, 28, 16, 95] };

/** Reads “draw a pie chart of apples 3, pears 5” as the arguments of `draw_chart`. */
export function readDemoChart(question: string): JsonObject | undefined {
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
