import { translate } from './texts.ts';

const time = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const dayOfThisYear = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'long' });
const dayWithYear = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'long', year: 'numeric' });
const weekday = new Intl.DateTimeFormat(undefined, { weekday: 'short' });
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'medium' });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });

const DAY_MS = 86_400_000;

/** Formats hours and minutes. */
export const formatTime = (unixSeconds: number) => time.format(unixSeconds * 1000);

/** Formats weekday, date and time with seconds, for tooltips. */
export const formatMoment = (unixSeconds: number) => moment.format(unixSeconds * 1000);

/** Returns the start of the local day in milliseconds since the epoch. */
export function dayOf(unixSeconds: number) {
  return new Date(unixSeconds * 1000).setHours(0, 0, 0, 0);
}

/** "Today", "Yesterday", "3 May" or "3 May 2024". */
export function formatDay(unixSeconds: number) {
  const daysAgo = Math.round((new Date().setHours(0, 0, 0, 0) - dayOf(unixSeconds)) / DAY_MS);
  if (daysAgo === 0) return translate('Today');
  if (daysAgo === 1) return translate('Yesterday');
  const date = new Date(unixSeconds * 1000);
  return (date.getFullYear() === new Date().getFullYear() ? dayOfThisYear : dayWithYear).format(date);
}

/** Formats the time for the chat list: the time today, the weekday within a week, otherwise the date. */
export function formatListTime(unixSeconds: number) {
  const daysAgo = Math.round((new Date().setHours(0, 0, 0, 0) - dayOf(unixSeconds)) / DAY_MS);
  if (daysAgo <= 0) return formatTime(unixSeconds);
  if (daysAgo < 7) return weekday.format(unixSeconds * 1000);
  return new Date(unixSeconds * 1000).toLocaleDateString();
}

/**
 * Formats a `date_time` entity by its format string (`r`, or `w`, `d`/`D`, `t`/`T` in this order).
 * @param fallback used for an empty format
 */
export function formatDateTime(unixSeconds: number, format: string, fallback: string) {
  if (format === '') return fallback;
  const date = new Date(unixSeconds * 1000);
  if (format === 'r') return formatRelative(date.getTime() - Date.now());
  const parts = [];
  if (format.includes('w')) parts.push(date.toLocaleDateString(undefined, { weekday: 'long' }));
  if (format.includes('d')) parts.push(date.toLocaleDateString(undefined, { dateStyle: 'short' }));
  if (format.includes('D')) parts.push(date.toLocaleDateString(undefined, { dateStyle: 'long' }));
  if (format.includes('t')) parts.push(date.toLocaleTimeString(undefined, { timeStyle: 'short' }));
  if (format.includes('T')) parts.push(date.toLocaleTimeString(undefined, { timeStyle: 'medium' }));
  return parts.join(', ');
}

function formatRelative(differenceMs: number) {
  const size = Math.abs(differenceMs);
  if (size < 60_000) return relative.format(Math.round(differenceMs / 1000), 'second');
  if (size < 3_600_000) return relative.format(Math.round(differenceMs / 60_000), 'minute');
  if (size < DAY_MS) return relative.format(Math.round(differenceMs / 3_600_000), 'hour');
  return relative.format(Math.round(differenceMs / DAY_MS), 'day');
}

/** Formats a size with the bot's rounding: "417 B", "12.3 KiB", "293 KiB", "4 MiB". */
export function formatSize(bytes: number | undefined) {
  if (bytes === undefined) return '';
  if (bytes < 1024) return `${bytes} B`;
  const units = ['KiB', 'MiB', 'GiB'];
  let value = bytes / 1024;
  let unit = 0;
  while (value >= 1023.5 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${Number(value.toFixed(value < 99.95 ? 1 : 0))} ${units[unit]}`;
}

/** "0:07", "12:34". */
export function formatDuration(seconds: number) {
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;
}

export const fullName = (user: { first_name: string; last_name?: string | undefined }) =>
  [user.first_name, user.last_name].filter(Boolean).join(' ');

/** Returns up to two letters for an avatar. */
export function initials(name: string) {
  const words = name.split(/\s+/u).filter((word) => /[\p{L}\p{N}]/u.test(word));
  const letters = words.map((word) => [...word].find((letter) => /[\p{L}\p{N}]/u.test(letter)) ?? '');
  return `${letters[0] ?? '?'}${letters.length > 1 ? letters[letters.length - 1] : ''}`.toUpperCase();
}

/** Returns one of the seven colour indexes of names and avatars, from a user or chat id. */
export const colourOf = (id: number) => Math.abs(id) % 7;
