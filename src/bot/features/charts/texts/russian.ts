import type { english } from './english.ts';

export const russian: typeof english = { others: 'Прочее' };
