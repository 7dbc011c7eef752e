import { pluralOf } from '../../../texts/plural.ts';
import { russianWait as wait } from '../../../texts/russian-units.ts';
import type { english } from './english.ts';

const files = (count: number) => pluralOf('ru', count, { one: 'файл', few: 'файла', many: 'файлов', other: 'файла' });

export const russian: typeof english = {
  command: 'Сохранить файл (ответом на него)',
  several: files,
  saving: (subject, course) => `Сохраняю: ${subject}… ${course}`,
  waiting: (subject, ahead) =>
    ahead === 0 ? `В очереди: ${subject}` : `В очереди: до этого ещё ${files(ahead)} от вас. ${subject}`,
  savedSeveral: (saved, all) => (saved === all ? `${files(all)}:` : `Сохранено ${saved} из ${all}:`),
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
    quota: (waitMs) => `Дневной лимит хранения исчерпан. Попробуйте через ${wait(waitMs)}.`,
    blocked: 'Владелец бота запретил этот файл.',
    storageUnavailable: 'Сейчас я не могу сохранять файлы. Попробуйте через минуту.',
    diskFull:
      'На диске бота закончилось место, файлы сейчас не сохраняются. Сообщите владельцу бота и попробуйте позже.',
    telegramUnavailable: 'Не удалось загрузить файл из Telegram. Попробуйте ещё раз.',
    queueFull: 'Уже слишком много ваших файлов ждёт. Попробуйте, когда часть из них будет готова.',
    interrupted: 'Я перезапустился раньше, чем файл был сохранён. Нажмите «Повторить», чтобы продолжить.',
    internal: 'Что-то пошло не так, и файл не сохранён. Попробуйте ещё раз.',
  },
};
