import type { Answer, Operation, Parameter } from './operation.ts';

const failure = (description: string): Answer => ({ description, schema: 'FileError' });

const WISHES: readonly Parameter[] = [
  { name: 'X-Expires-In', in: 'header', description: 'Seconds, or `90s`, `30m`, `12h`, `7d`. Unset: the file stays.' },
  { name: 'X-Max-Downloads', in: 'header', description: 'How often it may be downloaded.' },
  { name: 'X-Password', in: 'header', description: 'Asked for before it is given.' },
  { name: 'X-Inline', in: 'header', description: '`true`: browsers show it, where its type is harmless.' },
];
const ID: Parameter = {
  name: 'id',
  in: 'path',
  description: 'What the upload has answered as `id`, or the link has behind its last slash.',
};
const PASSWORD: Parameter = { name: 'X-Password', in: 'header', description: 'Of a file that has one.' };
const DOWNLOAD: Parameter = { name: 'download', in: 'query', description: 'Saves what would be shown.' };
const RANGE: Parameter = { name: 'Range', in: 'header', description: 'A part of the bytes: `bytes=0-1023`.' };

const UPLOADS = {
  200: { description: 'The file is stored.', schema: 'UploadedFile' },
  400: failure('The form or a wish is not what it must be.'),
  401: failure(
    'An API key was shown that is not valid, or none where the service is private (`ALLOWED_IDS`). Elsewhere none is needed.',
  ),
  413: failure('The file is too large: `file_too_large`.'),
  415: failure('The body is encoded, or no form.'),
  429: failure(
    'As much as may be sent in a day: `quota_exceeded`. Too many uploads of one client at the same time: `too_many_requests`.',
  ),
  507: failure('The disk of the service is full: `insufficient_storage`.'),
} satisfies Operation['answers'];

const BYTES = { description: 'The bytes.', other: { '*/*': 'The file as it was uploaded.' } };
const MISSING = failure('There is no such file, or not any more: `file_not_found`.');
const LOCKED = failure('The file has a password: `password_required`.');
const DELETION = {
  200: { description: 'The file is gone.', schema: 'Done' },
  401: failure('Nothing was shown: `owner_key_required`.'),
  403: failure('Not the owner key of this file: `wrong_owner_key`.'),
  404: MISSING,
} satisfies Operation['answers'];

/** Of a shared conversation, however it is given. */
const PAGE_ANSWERS = {
  304: { description: 'Not changed since the `ETag` that was shown.' },
  404: { description: 'There is no such page, or not any more.', other: { 'text/html': 'For people.' } },
  412: failure('Not what `If-Match` names.'),
} satisfies Operation['answers'];

/** The routes under `/upload`, `/file`, `/delete` and `/share`. */
export const FILE_OPERATIONS: readonly Operation[] = [
  {
    method: 'post',
    path: '/upload',
    tag: 'Files',
    summary: 'Upload a form',
    description:
      'The part `file` is the file. Wishes are headers, or fields (`expires_in`, `max_downloads`, `password`, `inline`) before it.',
    credential: 'maybe',
    parameters: WISHES,
    body: {
      mediaType: 'multipart/form-data',
      schema: { type: 'object', required: ['file'], properties: { file: { type: 'string', format: 'binary' } } },
    },
    answers: UPLOADS,
  },
  {
    method: 'put',
    path: '/upload',
    tag: 'Files',
    summary: 'Refused: the name is missing',
    description: 'The name of the file belongs behind the address: `PUT /upload/<name>`.',
    credential: 'none',
    answers: { 400: failure('The name is missing: `name_required`.') },
  },
  {
    method: 'put',
    path: '/upload/{name}',
    tag: 'Files',
    summary: 'Upload a body',
    credential: 'maybe',
    parameters: [{ name: 'name', in: 'path', description: 'The name of the file.' }, ...WISHES],
    body: { mediaType: '*/*', schema: { type: 'string', format: 'binary' } },
    answers: UPLOADS,
  },
  {
    method: 'get',
    path: '/file/{id}',
    tag: 'Files',
    summary: 'Download',
    description:
      'Browsers that go there get a page about the file; everybody else gets the bytes. `HEAD` tells the same without them.',
    credential: 'none',
    parameters: [ID, PASSWORD, DOWNLOAD, RANGE],
    answers: {
      200: BYTES,
      206: { ...BYTES, description: 'A part of the bytes.' },
      304: { description: 'Not changed since the `ETag` that was shown.' },
      401: LOCKED,
      404: MISSING,
      412: { description: 'Not what `If-Match` names.' },
      416: { description: 'Nothing lies in this range.' },
    },
  },
  {
    method: 'get',
    path: '/file/{id}/{name}',
    tag: 'Files',
    summary: 'Download under a name',
    credential: 'none',
    parameters: [ID, { name: 'name', in: 'path', description: 'Any name.' }, PASSWORD, DOWNLOAD, RANGE],
    answers: { 200: BYTES, 401: LOCKED, 404: MISSING },
  },
  {
    method: 'get',
    path: '/file/{id}/view',
    tag: 'Files',
    summary: 'The page about a file',
    credential: 'none',
    parameters: [ID],
    answers: {
      200: { description: 'The page.', other: { 'text/html': 'For people.' } },
      404: { description: 'There is no such file.', other: { 'text/html': 'For people.' } },
    },
  },
  {
    method: 'post',
    path: '/file/{id}',
    tag: 'Files',
    summary: 'Download with a password',
    description: 'What the form of the page sends.',
    credential: 'none',
    parameters: [ID],
    body: {
      mediaType: 'application/x-www-form-urlencoded',
      schema: { type: 'object', required: ['password'], properties: { password: { type: 'string' } } },
    },
    answers: {
      200: BYTES,
      403: { description: 'Not the password.', other: { 'text/html': 'The form again.' } },
      404: { description: 'There is no such file.', other: { 'text/html': 'For people.' } },
      405: failure('Not the form with the password.'),
      429: { description: 'Too many wrong passwords.', other: { 'text/html': 'The form again, with when to try.' } },
    },
  },
  {
    method: 'delete',
    path: '/file/{id}',
    tag: 'Files',
    summary: 'Delete',
    credential: 'owner-key',
    parameters: [ID],
    answers: DELETION,
  },
  {
    method: 'get',
    path: '/delete/{id}',
    tag: 'Files',
    summary: 'Delete by GET',
    description: 'For old clients. Prefetching changes nothing.',
    credential: 'owner-key',
    parameters: [ID],
    answers: DELETION,
  },
  {
    method: 'get',
    path: '/share/{id}',
    tag: 'Files',
    summary: 'A shared conversation',
    description: 'The page of a conversation with the bot that somebody has shared with `/share`.',
    credential: 'none',
    parameters: [ID],
    answers: { 200: { description: 'The page.', other: { 'text/html': 'For people.' } }, ...PAGE_ANSWERS },
  },
  {
    method: 'get',
    path: '/share/{id}/conversation.md',
    tag: 'Files',
    summary: 'A shared conversation as Markdown',
    credential: 'none',
    parameters: [ID],
    answers: {
      200: { description: 'All messages.', other: { 'text/markdown': 'As they were written.' } },
      ...PAGE_ANSWERS,
    },
  },
  {
    method: 'get',
    path: '/share/{id}/conversation.json',
    tag: 'Files',
    summary: 'A shared conversation as JSON',
    credential: 'none',
    parameters: [ID],
    answers: {
      200: { description: 'All messages, with their pictures.', other: { 'application/json': 'As it is kept.' } },
      ...PAGE_ANSWERS,
    },
  },
  {
    method: 'delete',
    path: '/share/{id}',
    tag: 'Files',
    summary: 'Delete a shared conversation',
    credential: 'owner-key',
    parameters: [ID],
    answers: DELETION,
  },
];
