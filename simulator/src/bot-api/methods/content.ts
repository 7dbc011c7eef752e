import type { Contact, Location, Message, Poll, PollOption, Venue } from '@grammyjs/types';
import { badRequest } from '../../api-error.ts';
import { isJsonObject } from '../../json.ts';
import { editMessage, type MessageContent } from '../../world/messages.ts';
import { takeNumber } from '../../world/world.ts';
import type { Call, MethodHandler } from '../call.ts';
import { type Params, readArray, readBoolean, readInteger, readString } from '../params.ts';
import { readReplyMarkup, toMarkupContent } from '../reply-markup.ts';
import { sendMessage } from '../send.ts';
import { checkAccess, readChat, readMessage } from '../targets.ts';

/** Greatest values of the dice by emoji. */
const DICE: Readonly<Record<string, number>> = { '🎲': 6, '🎯': 6, '🎳': 6, '🏀': 5, '⚽': 5, '🎰': 64 };
const MAX_QUESTION = 300;
const MAX_OPTION = 100;
const MIN_OPTIONS = 2;
const MAX_OPTIONS = 12;
const MAX_EXPLANATION = 200;

function sender(readContent: (call: Call) => MessageContent): MethodHandler {
  return (call): Promise<Message | undefined> => sendMessage(call, () => ({ content: readContent(call) }));
}

function readLocation({ params }: Call): Location {
  const [latitude, longitude] = [readCoordinate(params, 'latitude', 90), readCoordinate(params, 'longitude', 180)];
  const accuracy = Number(readString(params, 'horizontal_accuracy') ?? 0);
  return { latitude, longitude, ...(accuracy > 0 ? { horizontal_accuracy: Math.min(accuracy, 1500) } : {}) };
}

function readCoordinate(params: Params, name: string, most: number): number {
  const text = readString(params, name);
  if (text === undefined) throw badRequest(`${name} is empty`);
  const value = Number(text);
  if (!Number.isFinite(value) || Math.abs(value) > most) throw badRequest('wrong location specified');
  return value;
}

/** A live location stays where it is: users cannot move it. */
function readSentLocation(call: Call): MessageContent {
  const location = readLocation(call);
  const period = readInteger(call.params, 'live_period') ?? 0;
  if (period !== 0 && period !== 0x7fffffff && (period < 60 || period > 86_400))
    throw badRequest('wrong live location period specified');
  return { location: { ...location, ...(period === 0 ? {} : { live_period: period }) } };
}

function readVenue(call: Call): MessageContent {
  const location = readLocation(call);
  const { params } = call;
  const venue: Venue = { location, title: readNonEmpty(params, 'title'), address: readNonEmpty(params, 'address') };
  for (const field of ['foursquare_id', 'foursquare_type', 'google_place_id', 'google_place_type'] as const) {
    const value = readString(params, field);
    if (value !== undefined) venue[field] = value;
  }
  // Bots that do not support venues read the location.
  return { venue, location };
}

function readContact({ params }: Call): MessageContent {
  const phoneNumber = readNonEmpty(params, 'phone_number');
  const contact: Contact = { phone_number: phoneNumber, first_name: readNonEmpty(params, 'first_name') };
  const [lastName, vcard] = [readString(params, 'last_name'), readString(params, 'vcard')];
  if (lastName !== undefined) contact.last_name = lastName;
  if (vcard !== undefined) contact.vcard = vcard;
  return { contact };
}

function readNonEmpty(params: Params, name: string): string {
  const value = readString(params, name)?.trim() ?? '';
  if (value === '') throw badRequest(`${name.replace('_', ' ')} is empty`);
  return value;
}

function readDice({ params, world }: Call): MessageContent {
  const emoji = (readString(params, 'emoji') ?? '🎲').replace('\ufe0f', '');
  const most = Object.hasOwn(DICE, emoji) ? DICE[emoji] : undefined;
  if (most === undefined) throw badRequest('wrong dice emoji specified');
  return { dice: { emoji, value: 1 + Math.floor(world.random() * most) } };
}

function readPoll(call: Call): MessageContent {
  const { params, world } = call;
  const question = readString(params, 'question')?.trim() ?? '';
  if (question === '') throw badRequest('poll question must be non-empty');
  if ([...question].length > MAX_QUESTION) throw badRequest(`poll question length must not exceed ${MAX_QUESTION}`);
  const isQuiz = readString(params, 'type') === 'quiz';
  const options = readOptions(params);
  const poll: Poll = {
    id: String(5_000_000_000_000_000 + takeNumber(world)),
    question,
    options,
    total_voter_count: 0,
    is_closed: readBoolean(params, 'is_closed'),
    is_anonymous: params.is_anonymous === undefined || readBoolean(params, 'is_anonymous'),
    type: isQuiz ? 'quiz' : 'regular',
    allows_multiple_answers: readBoolean(params, 'allows_multiple_answers'),
    allows_revoting: params.allows_revoting === undefined ? !isQuiz : readBoolean(params, 'allows_revoting'),
    members_only: readBoolean(params, 'members_only'),
  };
  return { poll: isQuiz ? { ...poll, ...readSolution(params, options.length) } : poll };
}

function readOptions(params: Params): PollOption[] {
  const texts = (readArray(params, 'options') ?? []).map((option) => {
    const text = isJsonObject(option) ? option.text : option;
    const trimmed = typeof text === 'string' ? text.trim() : '';
    if (trimmed === '') throw badRequest('poll options must be non-empty');
    if ([...trimmed].length > MAX_OPTION) throw badRequest(`poll options length must not exceed ${MAX_OPTION}`);
    return trimmed;
  });
  if (texts.length < MIN_OPTIONS) throw badRequest(`poll must have at least ${MIN_OPTIONS} option`);
  if (texts.length > MAX_OPTIONS) throw badRequest(`poll can't have more than ${MAX_OPTIONS} options`);
  return texts.map((text, index) => ({ persistent_id: String(index), text, voter_count: 0 }));
}

/** Reads the right answers of a quiz, by the older parameter as well. */
function readSolution(params: Params, optionCount: number): Pick<Poll, 'correct_option_ids' | 'explanation'> {
  const single = readInteger(params, 'correct_option_id');
  const ids = (readArray(params, 'correct_option_ids') ?? (single === undefined ? [] : [single])).map(Number);
  const areValid = ids.every((id) => Number.isSafeInteger(id) && id >= 0 && id < optionCount);
  if (ids.length === 0 || !areValid) throw badRequest('wrong correct option ID specified');
  const explanation = readString(params, 'explanation');
  if ((explanation?.length ?? 0) > MAX_EXPLANATION) throw badRequest('quiz explanation is too long');
  return { correct_option_ids: ids, ...(explanation === undefined ? {} : { explanation }) };
}

function stopPoll(call: Call): Poll {
  const chat = readChat(call);
  checkAccess(call, chat);
  const stored = readMessage(call, chat, 'stop poll');
  const { poll } = stored.body;
  if (!poll) throw badRequest('message is not a poll');
  if (stored.authorBotId !== call.bot.id) throw badRequest("poll can't be stopped");
  if (poll.is_closed) throw badRequest('poll has already been closed');
  const closed: Poll = { ...poll, is_closed: true };
  const { reply_markup: _, ...body } = stored.body;
  const content = { ...body, ...toMarkupContent(readReplyMarkup(call.params)), poll: closed };
  editMessage(call.world, stored, { content });
  return closed;
}

/** Methods that send what is neither text nor a file, and `stopPoll`. */
export const contentMethods: { readonly [method: string]: MethodHandler } = {
  sendLocation: sender(readSentLocation),
  sendVenue: sender(readVenue),
  sendContact: sender(readContact),
  sendDice: sender(readDice),
  sendPoll: sender(readPoll),
  stopPoll,
};
