import { GrammyError, HttpError } from 'grammy';
import { describe, expect, it } from 'vitest';
import { classifyTelegramError } from '../../../src/telegram/telegram-errors.ts';

function answer(code: number, description: string, parameters?: object, method = 'sendMessage'): GrammyError {
  const body = { ok: false as const, error_code: code, description, ...(parameters ? { parameters } : {}) };
  return new GrammyError('failed', body, method, {});
}

function network(code: string, message: string): HttpError {
  return new HttpError('failed', Object.assign(new Error(message), { code }));
}

describe('the error of a failed call', () => {
  it.each([
    [answer(429, 'Too Many Requests: retry after 5', { retry_after: 7 }), { kind: 'flood', retryAfterMs: 7000 }],
    [answer(400, 'Bad Request: message is not modified: specified new message content…'), { kind: 'not-modified' }],
    [answer(400, 'Bad Request: message to edit not found'), { kind: 'message-gone', mayRemain: false }],
    [answer(400, 'Bad Request: MESSAGE_ID_INVALID'), { kind: 'message-gone', mayRemain: false }],
    [answer(400, "Bad Request: message can't be edited"), { kind: 'message-gone', mayRemain: true }],
    [answer(400, 'Bad Request: message to be replied not found'), { kind: 'reply-target-gone' }],
    [answer(400, 'Bad Request: REPLY_MESSAGE_ID_INVALID'), { kind: 'reply-target-gone' }],
    [answer(400, 'Bad Request: message thread not found'), { kind: 'topic-gone' }],
    [answer(400, 'Bad Request: TOPIC_CLOSED'), { kind: 'topic-gone' }],
    [answer(403, 'Forbidden: bot was blocked by the user'), { kind: 'blocked' }],
    [answer(403, 'Forbidden: bot was kicked from the supergroup chat'), { kind: 'blocked' }],
    [answer(403, 'Forbidden: the group chat was deleted'), { kind: 'blocked' }],
    [answer(403, 'Forbidden: user is deactivated'), { kind: 'blocked' }],
    [answer(400, 'Bad Request: chat not found'), { kind: 'blocked' }],
    [answer(400, 'Bad Request: not enough rights to send text messages to the chat'), { kind: 'blocked' }],
    [
      answer(400, 'Bad Request: group chat was upgraded to a supergroup chat', { migrate_to_chat_id: -1005 }),
      { kind: 'migrated', toChatId: -1005 },
    ],
    [answer(401, 'Unauthorized'), { kind: 'unauthorized' }],
    [answer(404, 'Not Found', undefined, 'getMe'), { kind: 'unauthorized' }],
    [answer(409, 'Conflict: terminated by other getUpdates request'), { kind: 'conflict' }],
    [answer(502, 'Bad Gateway'), { kind: 'unclear' }],
    [
      answer(400, 'Bad Request: BUTTON_DATA_INVALID'),
      { kind: 'rejected', code: 400, description: 'Bad Request: BUTTON_DATA_INVALID' },
    ],
    [network('ECONNREFUSED', 'request failed, reason: connect ECONNREFUSED 1.2.3.4:443'), { kind: 'not-sent' }],
    [network('EAI_AGAIN', 'request failed, reason: getaddrinfo EAI_AGAIN api.telegram.org'), { kind: 'not-sent' }],
    [network('ETIMEDOUT', 'request failed, reason: connect ETIMEDOUT 1.2.3.4:443'), { kind: 'not-sent' }],
    [network('ETIMEDOUT', 'request failed, reason: read ETIMEDOUT'), { kind: 'unclear' }],
    [network('ECONNRESET', 'request failed, reason: socket hang up'), { kind: 'unclear' }],
    [new DOMException('gone', 'AbortError'), { kind: 'aborted' }],
    [new TypeError('a bug'), { kind: 'foreign' }],
    ['a string', { kind: 'foreign' }],
  ])('%s', (error, expected) => {
    expect(classifyTelegramError(error)).toEqual(expected);
  });
});
