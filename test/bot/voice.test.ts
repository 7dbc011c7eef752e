import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createDemoProvider } from '../../demo/demo-provider.ts';
import type { Transcription } from '../../src/core/generation/index.ts';
import { createTranscription } from '../../src/core/generation/index.ts';
import { createMemoryDiscoveryCache, createModels } from '../../src/core/models/index.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createLogger } from '../../src/lib/log/logger.ts';
import { type BotHarness, createBotHarness } from '../support/harness/bot.ts';
import { type FakeProvider, startFakeProvider } from '../support/hosts/fake-provider.ts';

const VOICE = { kind: 'voice', mimeType: 'audio/ogg', fileName: 'voice.ogg', bytes: Buffer.from('OggS') } as const;

let host: FakeProvider;
let harness: BotHarness;
/** Transcript that the host returns next. Undefined makes it fail. */
let heard: string | undefined;
beforeAll(async () => {
  host = await startFakeProvider();
  host.behaveElsewhere(({ response }) => {
    response.writeHead(heard === undefined ? 500 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ text: heard }));
  });
  harness = await createBotHarness({ transcription: await openTranscription(host.baseUrl) });
});
afterAll(async () => {
  await harness.close();
  await host.close();
});
afterEach(() => {
  harness.models.scripts.length = 0;
});

async function openTranscription(baseUrl: string): Promise<Transcription> {
  const models = createModels(
    {
      clock: systemClock,
      logger: createLogger({ level: 'silent' }),
      discoveryCache: createMemoryDiscoveryCache(),
      createDemo: createDemoProvider,
    },
    {
      providers: [{ kind: 'openai-compatible', name: 'host', baseUrl, apiKeys: [], transcriptionModel: 'whisper' }],
      aliases: {},
    },
  );
  const usage = { record: () => {} };
  return createTranscription({ transcription: models.transcription, usage, clock: systemClock });
}

function lastContents(): unknown[] {
  return (harness.models.requests.at(-1)?.messages ?? []).map(({ content }) => content);
}

describe('a voice message', () => {
  test('is shown as text and answered, and later questions have it in their context', async () => {
    const ann = harness.user('Ann');
    heard = 'How far is the moon?';
    harness.models.scripts.push('Far.', 'Very.');
    ann.sends(VOICE);
    await harness.sees(ann.chatId, 'Far.');
    expect(lastContents()).toEqual(['How far is the moon?']);
    const { message } = await harness.sees(ann.chatId, 'How far is the moon?');
    expect(message.entities).toEqual([{ type: 'expandable_blockquote', offset: 0, length: 20 }]);
    ann.writes('Really?');
    await harness.sees(ann.chatId, 'Very.');
    expect(lastContents()).toEqual(['How far is the moon?', 'Far.', 'Really?']);
    expect(host.requests.filter(({ url }) => url.endsWith('/audio/transcriptions'))).toHaveLength(1);
  });

  test('in a group is answered if it replies to the bot', async () => {
    const { Ann } = harness.group(['Ann']);
    Ann.writes('@switch_bot hello');
    const answer = await harness.sees(Ann.chatId, 'You said: hello');
    heard = 'How are you?';
    const sent = Ann.sends({ ...VOICE, replyTo: answer.message.message_id });
    await harness.sees(Ann.chatId, 'You said: How are you?');
    const quoted = await harness.sees(Ann.chatId, 'How are you?');
    expect(quoted.message.reply_to_message?.message_id).toBe(sent);
  });

  test('is transcribed once, even if its caption is edited', async () => {
    const ann = harness.user('Ann');
    heard = 'How far is the sun?';
    const before = host.requests.length;
    const sent = ann.sends({ ...VOICE, caption: 'In mils' });
    await harness.sees(ann.chatId, /In mils$/);
    heard = 'Something else';
    harness.telegram.editMessage(ann.chatId, sent, { text: 'In miles' });
    await harness.sees(ann.chatId, /In miles$/);
    expect(lastContents()).toEqual(['How far is the sun?\n\nIn miles']);
    expect(host.requests.length - before).toBe(1);
  });

  test('may be a video note', async () => {
    const ann = harness.user('Ann');
    heard = 'Look at me!';
    ann.sends({ ...VOICE, kind: 'video_note', mimeType: 'video/mp4', fileName: 'round.mp4' });
    await harness.sees(ann.chatId, 'You said: Look at me!');
  });

  test('may be an audio file, if it has a caption', async () => {
    const ann = harness.user('Ann');
    const song = { ...VOICE, kind: 'audio', mimeType: 'audio/mpeg', fileName: 'song.mp3' } as const;
    ann.sends(song);
    await harness.sees(ann.chatId, /song\.mp3/);
    heard = 'La la la';
    ann.sends({ ...song, caption: 'What is it about?' });
    await harness.sees(ann.chatId, /You said: <transcript name="song\.mp3">\nLa la la/);
    expect(lastContents().at(-1)).toBe('<transcript name="song.mp3">\nLa la la\n</transcript>\n\nWhat is it about?');
  });

  test('without speech, or that cannot be transcribed, gets an error', async () => {
    const ann = harness.user('Ann');
    heard = '';
    ann.sends(VOICE);
    await harness.sees(ann.chatId, /I could not hear any words/);
    heard = undefined;
    ann.sends(VOICE);
    await harness.sees(ann.chatId, /I could not transcribe this recording/);
    heard = 'Hello again';
    await ann.presses('Retry');
    await harness.sees(ann.chatId, 'You said: Hello again');
  });
});

describe('a video', () => {
  const CLIP = { ...VOICE, kind: 'video', mimeType: 'video/mp4', fileName: 'clip.mp4' } as const;
  const lastForm = () => host.requests.at(-1)?.rawBody.toString('latin1');

  test('with a caption is a question about its sound track, and later questions know it', async () => {
    const ann = harness.user('Ann');
    heard = 'Mind the gap.';
    harness.models.scripts.push('A warning.', 'Yes.');
    ann.sends({ ...CLIP, caption: 'What is said?' });
    await harness.sees(ann.chatId, 'A warning.');
    const question = '<transcript name="clip.mp4">\nMind the gap.\n</transcript>\n\nWhat is said?';
    expect(lastContents()).toEqual([question]);
    expect(lastForm()).toContain('filename="clip.mp4"');
    await harness.sees(ann.chatId, 'Mind the gap.');
    ann.writes('Sure?');
    await harness.sees(ann.chatId, 'Yes.');
    expect(lastContents()[0]).toBe(question);
  });

  test('as a file goes under the name of a container that hosts know', async () => {
    const ann = harness.user('Ann');
    heard = 'Mind the gap.';
    harness.models.scripts.push('A warning.');
    ann.sends({
      ...CLIP,
      kind: 'document',
      mimeType: 'video/quicktime',
      fileName: 'IMG_1.MOV',
      caption: 'What is said?',
    });
    await harness.sees(ann.chatId, 'A warning.');
    expect(lastForm()).toContain('filename="IMG_1.MOV.mp4"');
  });

  test('without a caption, or of a container that hosts do not know, is stored', async () => {
    const ann = harness.user('Ann');
    ann.sends(CLIP);
    await harness.sees(ann.chatId, /clip\.mp4/);
    await ann.presses('Ask about it');
    await harness.sees(ann.chatId, 'What do you want to know about clip.mp4?');
    heard = 'Mind the gap.';
    harness.models.scripts.push('A warning.');
    ann.writes('What is said?');
    await harness.sees(ann.chatId, 'A warning.');
    ann.sends({ ...CLIP, kind: 'document', mimeType: 'video/x-matroska', fileName: 'film.mkv', caption: 'And here?' });
    await harness.sees(ann.chatId, /film\.mkv\n/);
    expect(harness.lines(ann.chatId).at(-1)).not.toContain('Ask about it');
  });

  test('of another user is asked about in a group by a reply', async () => {
    const { Ann, Bob } = harness.group(['Ann', 'Bob']);
    const sent = Bob.sends(CLIP);
    heard = 'Mind the gap.';
    harness.models.scripts.push('A warning.');
    Ann.writes('@switch_bot what is said?', { replyTo: sent });
    await harness.sees(Ann.chatId, 'A warning.');
    expect(lastContents()).toEqual(['<transcript name="clip.mp4">\nMind the gap.\n</transcript>\n\nwhat is said?']);
  });

  test('that is too large, or has no words, gets a message', async () => {
    const ann = harness.user('Ann');
    ann.sends({ ...CLIP, bytes: Buffer.alloc(21 * 2 ** 20), caption: 'What is said?' });
    await harness.sees(ann.chatId, /^This recording is too large: I can listen to files up to 20 MB/);
    heard = '';
    ann.sends({ ...CLIP, caption: 'What is said?' });
    await harness.sees(ann.chatId, /I could not hear any words/);
  });
});

test('without transcription a question about a video gets a message, and admins a hint', async () => {
  const deaf = await createBotHarness();
  try {
    const clip = { ...VOICE, kind: 'video', mimeType: 'video/mp4', fileName: 'clip.mp4', caption: 'What?' } as const;
    const ann = deaf.user('Ann');
    ann.sends(clip);
    await deaf.sees(ann.chatId, /I stored the recording, but I can’t answer questions about it/);
    const oscar = deaf.operator('Oscar');
    oscar.sends(clip);
    await deaf.sees(oscar.chatId, /OPENAI_TRANSCRIPTION_MODEL/);
  } finally {
    await deaf.close();
  }
});

test('without transcription a voice message is stored as a file, and admins get one hint', async () => {
  const deaf = await createBotHarness();
  try {
    const ann = deaf.user('Ann');
    ann.sends(VOICE);
    await deaf.sees(ann.chatId, /voice .*\.ogg/);
    expect(deaf.lines(ann.chatId)).toHaveLength(2);
    const oscar = deaf.operator('Oscar');
    oscar.sends(VOICE);
    await deaf.sees(oscar.chatId, /OPENAI_TRANSCRIPTION_MODEL/);
    oscar.sends(VOICE);
    await deaf.telegram.waitFor(() => deaf.lines(oscar.chatId).length >= 5, 100_000);
    expect(deaf.lines(oscar.chatId).filter((line) => line.includes('OPENAI_'))).toHaveLength(1);
  } finally {
    await deaf.close();
  }
});
