import { z } from 'zod';

/** A time in an answer. */
export const timeFieldSchema = z.iso.datetime().describe('Time in UTC, ISO 8601.');

export function toTime(time: Date): string {
  return time.toISOString();
}

/** A cost in an answer. */
export const costFieldSchema = z.number().nullable().describe('US dollars; null: unknown.');
