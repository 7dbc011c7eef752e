import { z } from 'zod';
import { describeResponse } from '../server/openapi.ts';
import { cloudErrorSchema } from './cloud-error.ts';

/** Describes an error of the file routes. */
export const describeError = (description: string) => describeResponse(description, cloudErrorSchema);
export const describePage = (description: string) =>
  describeResponse(description, { 'text/html': 'A page for browsers.' });

export const FILE_PARAMS = z.object({
  id: z.string().describe('The `id` in the answer to the upload, also the last part of the link.'),
});
const OWNER_KEY = [{ 'owner-key': [] }];
const OPTIONAL_API_KEY = [{}, { 'api-key': [] }];

const OPTION_HEADERS = z.object({
  'X-Expires-In': z
    .string()
    .optional()
    .describe('Seconds, or `90s`, `30m`, `12h`, `7d`. Unset: the file does not expire.'),
  'X-Max-Downloads': z.string().optional().describe('Number of downloads allowed.'),
  'X-Password': z.string().optional().describe('Password that downloads need.'),
  'X-Inline': z.string().optional().describe('`true`: browsers show the file if its type is harmless.'),
});

const uploadedFileSchema = z
  .strictObject({
    ok: z.literal(true),
    owner: z.string().describe('The owner key, which deletes the file. It is shown only here.'),
    url: z.string().describe('The link to the file.'),
    id: z.string(),
    name: z.string(),
    size: z.int().describe('Bytes.'),
    sha256: z.string().describe('Hexadecimal.'),
    expires_at: z.iso.datetime().optional(),
  })
  .meta({ id: 'UploadedFile' });

const UPLOADED = {
  200: describeResponse('The file is stored.', uploadedFileSchema),
  400: describeError('The form or an option is invalid.'),
  401: describeError(
    'The API key is invalid, or missing where one is needed: on a private service (`ALLOWED_IDS`), and with `UPLOADS=key`.',
  ),
  403: describeError('Uploads over HTTP are off (`UPLOADS=off`): `uploads_off`.'),
  413: describeError('The file is too large: `file_too_large`.'),
  415: describeError('The body is compressed, or not a form.'),
  429: describeError(
    'The upload quota of the day is used up: `quota_exceeded`. Too many simultaneous uploads of one client: `too_many_requests`.',
  ),
  507: describeError('The disk of the service is full: `insufficient_storage`.'),
};

export const UPLOAD_FORM = {
  tags: ['Files'],
  summary: 'Upload a form',
  description:
    'The part `file` is the file. Options are headers, or fields (`expires_in`, `max_downloads`, `password`, `inline`) before or after it.',
  security: OPTIONAL_API_KEY,
  headers: OPTION_HEADERS,
  consumes: ['multipart/form-data'],
  body: { type: 'object', required: ['file'], properties: { file: { type: 'string', format: 'binary' } } },
  response: UPLOADED,
};

export const UPLOAD_WITHOUT_NAME = {
  tags: ['Files'],
  summary: 'Refused: the name is missing',
  description: 'The name of the file is part of the address: `PUT /upload/<name>`.',
  response: { 400: describeError('The name is missing: `name_required`.') },
};

export const UPLOAD_BODY = {
  tags: ['Files'],
  summary: 'Upload a body',
  security: OPTIONAL_API_KEY,
  params: z.object({ name: z.string().describe('The name of the file.') }),
  headers: OPTION_HEADERS,
  consumes: ['*/*'],
  body: { type: 'string', format: 'binary' },
  response: UPLOADED,
};

const BYTES = { '*/*': 'The file as it was uploaded.' };
const MISSING = describeError('The file does not exist or has been deleted: `file_not_found`.');
const MISSING_PAGE = describePage('There is no such file.');
const LOCKED = describeError('The file has a password: `password_required`.');
export const NOT_MODIFIED = describeResponse('Not changed since the given `ETag`.');

const CROWDED = describeError('Too many simultaneous downloads of one client: `too_many_requests`.');
const CROWDED_PAGE = describeError('Too many simultaneous pages of one client: `too_many_requests`.');

const DOWNLOAD_OPTIONS = {
  querystring: z.object({ download: z.string().optional().describe('Saves the file instead of showing it.') }),
  headers: z.object({
    'X-Password': z.string().optional().describe('Password of a protected file.'),
    Range: z.string().optional().describe('A part of the bytes: `bytes=0-1023`.'),
  }),
};

export const DOWNLOAD = {
  tags: ['Files'],
  summary: 'Download',
  description:
    'Browsers get a page about the file, other clients the bytes. `HEAD` returns the same headers without them.',
  params: FILE_PARAMS,
  ...DOWNLOAD_OPTIONS,
  response: {
    200: describeResponse('The bytes.', BYTES),
    206: describeResponse('A part of the bytes.', BYTES),
    304: NOT_MODIFIED,
    401: LOCKED,
    404: MISSING,
    412: describeResponse('The file does not match `If-Match`.'),
    416: describeResponse('The range is outside of the file.'),
    429: CROWDED,
  },
};

export const DOWNLOAD_BY_NAME = {
  tags: ['Files'],
  summary: 'Download under a name',
  params: FILE_PARAMS.extend({ name: z.string().describe('Any name.') }),
  ...DOWNLOAD_OPTIONS,
  response: DOWNLOAD.response,
};

export const FILE_PAGE = {
  tags: ['Files'],
  summary: 'The page about a file',
  params: FILE_PARAMS,
  response: { 200: describePage('The page.'), 404: MISSING_PAGE, 429: CROWDED_PAGE },
};

export const FILE_PAGE_BY_NAME = {
  ...FILE_PAGE,
  summary: 'The page about a file, by a link with a name',
  params: DOWNLOAD_BY_NAME.params,
};

export const DOWNLOAD_BY_PASSWORD = {
  tags: ['Files'],
  summary: 'Download with a password',
  description: 'Sent by the password form of the page.',
  params: FILE_PARAMS,
  consumes: ['application/x-www-form-urlencoded'],
  body: { type: 'object', required: ['password'], properties: { password: { type: 'string' } } },
  response: {
    200: describeResponse('The bytes.', BYTES),
    403: describeResponse('Wrong password.', { 'text/html': 'The form again.' }),
    404: MISSING_PAGE,
    405: describeError('The password form is missing.'),
    413: describeError('The form is larger than 4 KiB: `request_too_large`.'),
    429: describeResponse('Too many wrong passwords.', {
      'text/html': 'The form again, with the time to wait.',
    }),
  },
};

export const DELETION = {
  tags: ['Files'],
  summary: 'Delete',
  security: OWNER_KEY,
  params: FILE_PARAMS,
  response: {
    200: describeResponse('The file is deleted.', z.strictObject({ ok: z.literal(true) }).meta({ id: 'Done' })),
    401: describeError('The owner key is missing: `owner_key_required`.'),
    403: describeError('The owner key is wrong: `wrong_owner_key`.'),
    404: MISSING,
  },
};
