import { defineTexts } from '../../../texts/define-texts.ts';
import { pluralOf } from '../../../texts/plural.ts';
import { englishWait, russianWait } from '../../../texts/units.ts';

const englishFiles = (count: number) => pluralOf('en', count, { one: 'file', other: 'files' });
const russianFiles = (count: number) =>
  pluralOf('ru', count, { one: 'файл', few: 'файла', many: 'файлов', other: 'файла' });

export const texts = defineTexts({
  en: {
    command: 'Save the file you reply to',
    stopped: 'saving of files',
    several: englishFiles,
    saving: (subject: string, course: string) => `Saving ${subject}… ${course}`,
    waiting: (subject: string, ahead: number) =>
      ahead === 0
        ? `Waiting for a free slot: ${subject}`
        : `Waiting: ${englishFiles(ahead)} of yours ahead of this. ${subject}`,
    savedSeveral: (saved: number, all: number) =>
      saved === all ? `${englishFiles(all)}:` : `${saved} of ${englishFiles(all)}:`,
    aboutSeveral:
      'Hidden below each link is its owner key (anyone with it can delete the file). Rename, delete or set an expiry in /files.',
    /** For answers after a restart, when the owner keys are no longer known. */
    aboutSeveralWithoutKeys: 'Rename, delete or set an expiry in /files.',
    aboutSeveralInGroup: 'The user who sent /save can manage them with /files in our private chat.',
    howToSave:
      'Reply to a photo or file with /save to get a link. In our private chat any file without a caption gets one; add a question as the caption and I’ll read it.',
    howToTranscribe:
      'Voice messages are stored as files because no speech-to-text model is connected. To have them answered, set OPENAI_API_KEY or GROQ_API_KEY, or OPENAI_TRANSCRIPTION_MODEL for your own server. Only admins see this.',
    cannotListen:
      'I stored the recording, but I can’t answer questions about it: no speech-to-text model is connected to this bot.',
    cutShort: 'I restarted before this was done. Please send it again.',
    failures: {
      quota: (waitMs: number) => `You’ve reached today’s storage limit. Try again in ${englishWait(waitMs)}.`,
      blocked: 'The operator of this bot has blocked this file.',
      storageUnavailable: 'I can’t save files right now. Please try again in a minute.',
      diskFull:
        'The disk of this bot is full, so I can’t save files now. Please tell the operator, and try again later.',
      telegramUnavailable: 'I could not load the file from Telegram. Please try again.',
      queueFull: 'You already have too many files waiting. Try again when some of them are done.',
      interrupted: 'I restarted before the file was saved. Press Retry to continue.',
      internal: 'Something went wrong on my side, and the file was not saved. Please try again.',
    },
  },
  ru: {
    command: 'Сохранить файл (ответом на него)',
    stopped: 'сохранение файлов',
    several: russianFiles,
    saving: (subject, course) => `Сохраняю: ${subject}… ${course}`,
    waiting: (subject, ahead) =>
      ahead === 0 ? `В очереди: ${subject}` : `В очереди: до этого ещё ${russianFiles(ahead)} от вас. ${subject}`,
    savedSeveral: (saved, all) => (saved === all ? `${russianFiles(all)}:` : `Сохранено ${saved} из ${all}:`),
    aboutSeveral:
      'Под каждой ссылкой скрыт ключ владельца: с ним файл может удалить кто угодно. /files переименует, задаст срок, удалит.',
    aboutSeveralWithoutKeys: '/files переименует, задаст срок, удалит.',
    aboutSeveralInGroup: 'Кто отправил /save, найдёт их в личном чате со мной по команде /files.',
    howToSave:
      'Ответьте на фото или файл командой /save, и я дам ссылку. В личном чате ссылку получает любой файл без подписи; добавьте в подписи вопрос, и я его прочту.',
    howToTranscribe:
      'Голосовые сообщения я храню как файлы: модель распознавания речи не подключена. Чтобы я на них отвечал, задайте OPENAI_API_KEY или GROQ_API_KEY либо OPENAI_TRANSCRIPTION_MODEL для своего сервера. Это видят только администраторы.',
    cannotListen:
      'Запись я сохранил, но на вопрос о ней ответить не могу: к этому боту не подключена модель распознавания речи.',
    cutShort: 'Я перезапустился раньше, чем это было сделано. Пришлите ещё раз.',
    failures: {
      quota: (waitMs) => `Дневной лимит хранения исчерпан. Попробуйте через ${russianWait(waitMs)}.`,
      blocked: 'Владелец бота запретил этот файл.',
      storageUnavailable: 'Сейчас я не могу сохранять файлы. Попробуйте через минуту.',
      diskFull:
        'На диске бота закончилось место, файлы сейчас не сохраняются. Сообщите владельцу бота и попробуйте позже.',
      telegramUnavailable: 'Не удалось загрузить файл из Telegram. Попробуйте ещё раз.',
      queueFull: 'Уже слишком много ваших файлов ждёт. Попробуйте, когда часть из них будет готова.',
      interrupted: 'Я перезапустился раньше, чем файл был сохранён. Нажмите «Повторить», чтобы продолжить.',
      internal: 'Что-то пошло не так, и файл не сохранён. Попробуйте ещё раз.',
    },
  },
});
