import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isMultipart, MAX_UPLOAD_BYTES, readRequest } from '../bot-api/read-request.ts';
import type { Done } from '../control-protocol.ts';
import type { World } from '../world/world.ts';
import type { Control } from './control.ts';
import { invalid } from './control-failure.ts';
import { parseRequest, REQUESTS } from './control-requests.ts';
import { streamEvents } from './event-stream.ts';
import type { NewFile } from './write-as-person.ts';

export interface ControlRouteDeps {
  readonly world: World;
  readonly control: Control;
}

const DONE: Done = { ok: true };

/** Registers all routes of `control-protocol.ts`. */
export function addControlRoutes(scope: FastifyInstance, { world, control }: ControlRouteDeps): void {
  scope.get('/control/state', async () => control.state());
  scope.get('/control/events', async (request, reply) => {
    streamEvents(world, reply, readAfter(request));
  });
  scope.get('/control/files/:fileId', async (request, reply) => sendBytes(control, request, reply));
  addChatRoutes(scope, control);
  addMessageRoutes(scope, control);
  addBotRoutes(scope, control);
}

function addChatRoutes(scope: FastifyInstance, control: Control): void {
  scope.post('/control/people', async ({ body }) => control.createPerson(parseRequest(REQUESTS.newPerson, body)));
  scope.post('/control/people/:personId', async (request) =>
    control.changePerson(
      readNumber(readPart(request, 'personId'), 'person id'),
      parseRequest(REQUESTS.personChange, request.body),
    ),
  );
  scope.post('/control/chats', async (request) =>
    control.createChat(parseRequest(REQUESTS.newChat, request.body), readBotId(request)),
  );
  scope.post('/control/chats/:chatId/bot', async (request) =>
    control.changeBot(readChatId(request), parseRequest(REQUESTS.botMembership, request.body), readBotId(request)),
  );
  scope.post('/control/chats/:chatId/members', async (request) =>
    control.changeMember(readChatId(request), parseRequest(REQUESTS.memberChange, request.body), readBotId(request)),
  );
  scope.post('/control/chats/:chatId/drafts/:draftId/stop', async (request) => {
    control.stopDraft(readChatId(request), readPart(request, 'draftId'), readBotId(request));
    return DONE;
  });
  scope.post('/control/chats/:chatId/upgrade', async (request) =>
    control.upgradeGroup(readChatId(request), parseRequest(REQUESTS.groupUpgrade, request.body), readBotId(request)),
  );
  scope.post('/control/chats/:chatId/clear', async (request) => {
    control.clearHistory(readChatId(request), readBotId(request));
    return DONE;
  });
  scope.post('/control/chats/:chatId/delete', async (request) =>
    control.deleteChat(readChatId(request), readBotId(request)),
  );
  scope.post('/control/topics/delete', async (request) =>
    control.deleteTopic(parseRequest(REQUESTS.topicDeletion, request.body), readBotId(request)),
  );
  scope.post('/control/topics', async (request) =>
    control.createTopic(parseRequest(REQUESTS.newTopic, request.body), readBotId(request)),
  );
}

function addMessageRoutes(scope: FastifyInstance, control: Control): void {
  scope.post('/control/chats/:chatId/messages', async (request) => {
    if (isMultipart(request)) {
      return control.sendFile(readChatId(request), readFileMessage(request), readBotId(request));
    }
    return control.sendMessage(
      readChatId(request),
      parseRequest(REQUESTS.newMessage, request.body),
      readBotId(request),
    );
  });
  const message = '/control/chats/:chatId/messages/:messageId';
  scope.post(`${message}/edit`, async (request) =>
    control.editMessage(
      ...readMessageIds(request),
      parseRequest(REQUESTS.messageEdit, request.body),
      readBotId(request),
    ),
  );
  scope.post(`${message}/delete`, async (request) => {
    control.deleteMessage(...readMessageIds(request), readBotId(request));
    return DONE;
  });
  scope.post(`${message}/press`, async (request) =>
    control.pressButton(
      ...readMessageIds(request),
      parseRequest(REQUESTS.buttonPress, request.body),
      readBotId(request),
    ),
  );
  scope.post(`${message}/react`, async (request) =>
    control.react(...readMessageIds(request), parseRequest(REQUESTS.reaction, request.body), readBotId(request)),
  );
}

function addBotRoutes(scope: FastifyInstance, control: Control): void {
  scope.post('/control/bot', async (request) =>
    control.configureBot(parseRequest(REQUESTS.botSettings, request.body), readBotId(request)),
  );
  scope.post('/control/inline', async (request) =>
    control.askInline(parseRequest(REQUESTS.inlineRequest, request.body), readBotId(request)),
  );
  scope.post('/control/inline/choose', async (request) =>
    control.chooseInlineResult(parseRequest(REQUESTS.inlineChoice, request.body), readBotId(request)),
  );
  scope.post('/control/faults', async ({ body }) => {
    control.injectFault(parseRequest(REQUESTS.fault, body));
    return DONE;
  });
  scope.delete('/control/faults', async () => {
    control.clearFaults();
    return DONE;
  });
}

function readFileMessage(request: FastifyRequest): NewFile {
  const { params, uploads } = readRequest(request, MAX_UPLOAD_BYTES);
  const upload = uploads.get('file');
  if (!upload) throw invalid('there is no file');
  const { bot: _, ...fields } = params;
  return {
    ...parseRequest(REQUESTS.newFile, fields),
    bytes: upload.bytes,
    ...(upload.fileName === undefined ? {} : { fileName: upload.fileName }),
    ...(upload.mimeType === undefined ? {} : { mimeType: upload.mimeType }),
  };
}

/** MIME types that browsers may display inline; all others are sent as downloads. */
const SHOWN = /^(image\/(png|jpeg|gif|webp)|audio\/[\w.-]+|video\/[\w.-]+)$/;

function sendBytes(control: Control, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { file, bytes } = control.readFile(readPart(request, 'fileId'));
  const type = file.mimeType !== undefined && SHOWN.test(file.mimeType) ? file.mimeType : undefined;
  const fileName = encodeURIComponent(file.fileName ?? file.path.split('/').at(-1) ?? 'file');
  return reply
    .header('content-security-policy', "default-src 'none'; sandbox")
    .header('content-disposition', `${type ? 'inline' : 'attachment'}; filename*=UTF-8''${fileName}`)
    .header('cache-control', 'no-store')
    .type(type ?? 'application/octet-stream')
    .send(bytes);
}

function readPart(request: FastifyRequest, name: string): string {
  const parts = request.params;
  return typeof parts === 'object' && parts !== null && name in parts ? String(Reflect.get(parts, name)) : '';
}

function readNumber(text: string, name: string): number {
  if (!/^-?\d{1,16}$/.test(text)) throw invalid(`${name} must be a whole number`);
  return Number(text);
}

function readChatId(request: FastifyRequest): number {
  return readNumber(readPart(request, 'chatId'), 'chat id');
}

function readMessageIds(request: FastifyRequest): [chatId: number, messageId: number] {
  return [readChatId(request), readNumber(readPart(request, 'messageId'), 'message id')];
}

function readQuery(request: FastifyRequest, name: string): string | undefined {
  const { query } = request;
  const value = typeof query === 'object' && query !== null ? Reflect.get(query, name) : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function readBotId(request: FastifyRequest): number | undefined {
  const id = readQuery(request, 'bot');
  return id === undefined ? undefined : readNumber(id, 'bot id');
}

/** Prefers `Last-Event-ID`, which browsers send when they reconnect a stream. */
function readAfter(request: FastifyRequest): number | undefined {
  const header = request.headers['last-event-id'];
  const after = typeof header === 'string' && header !== '' ? header : readQuery(request, 'after');
  return after === undefined ? undefined : readNumber(after, 'after');
}
