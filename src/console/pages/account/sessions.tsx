import { defineTexts } from '../../../texts/define-texts.ts';
import { requestDeletion } from '../../api/request.ts';
import type { Session } from '../../api/types.ts';
import { type List, useQuery } from '../../api/use-query.ts';
import { useTimeFormat } from '../../formats.ts';
import type { Page } from '../../page.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Table } from '../../ui/table.tsx';
import { showToast } from '../../ui/toasts.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useProfile, useTexts } from '../../view-context.ts';

/** Where the user is signed in. */
export const sessionsPage: Page = {
  name: 'sessions',
  title: { en: 'Sessions', ru: 'Сессии' },
  icon: 'sign-out',
  isForAdmins: false,
  View: SessionsView,
};

const PATH = 'api/me/sessions';

function SessionsView() {
  const words = useTexts(texts);
  const formatTime = useTimeFormat();
  const { session_id: ownId } = useProfile();
  const sessions = useQuery<List<Session>>(PATH);
  const end = useAction(async (path: string) => {
    await requestDeletion(path);
    showToast(words.ended);
    sessions.reload();
  });
  return (
    <Loaded query={sessions}>
      {({ data }) => (
        <Card>
          <p>{words.about}</p>
          <Table
            label={words.device}
            rows={data}
            keyOf={({ id }) => id}
            columns={[
              {
                title: words.device,
                cell: ({ user_agent }) => <span title={user_agent}>{describeDevice(user_agent)}</span>,
              },
              { title: words.origin, cell: ({ origin }) => words.origins[origin] },
              { title: words.lastUsed, cell: ({ last_used_at }) => formatTime(last_used_at) },
              { title: words.expires, cell: ({ expires_at }) => formatTime(expires_at) },
              {
                title: words.action,
                cell: ({ id }) =>
                  id === ownId ? (
                    <Badge kind="good">{words.here}</Badge>
                  ) : (
                    <Button isBusy={end.isRunning} onPress={() => end.run(`${PATH}/${id}`)}>
                      {words.end}
                    </Button>
                  ),
              },
            ]}
          />
          {data.length > 1 && (
            <div class="buttons">
              <Button kind="danger" isBusy={end.isRunning} onPress={() => end.run(PATH)}>
                {words.endOthers}
              </Button>
            </div>
          )}
        </Card>
      )}
    </Loaded>
  );
}

const BROWSERS = ['Edg', 'OPR', 'SamsungBrowser', 'YaBrowser', 'Firefox', 'Chrome', 'Safari'];
const BROWSER_NAMES: Readonly<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera', YaBrowser: 'Yandex Browser' };
const SYSTEMS = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac OS X', 'Linux'];

/** Returns browser and system of a `User-Agent`, such as `Firefox · Linux`; its beginning if they are not known. */
function describeDevice(userAgent: string): string {
  const browser = BROWSERS.find((name) => userAgent.includes(`${name}/`));
  const system = SYSTEMS.find((name) => userAgent.includes(name));
  const known = [browser && (BROWSER_NAMES[browser] ?? browser), system].filter((name) => name !== undefined);
  return known.length > 0 ? known.join(' · ') : userAgent.slice(0, 40);
}

const texts = defineTexts({
  en: {
    about:
      'Everyone who has one of these sessions can use this console as you. A session ends by itself after some hours.',
    device: 'Device',
    origin: 'Opened',
    origins: { 'mini-app': 'in Telegram', link: 'by a link from the bot', playground: 'in the playground' },
    lastUsed: 'Last used',
    expires: 'Ends',
    here: 'this session',
    action: 'Action',
    end: 'End',
    endOthers: 'End all other sessions',
    ended: 'Ended.',
  },
  ru: {
    about:
      'В каждой из этих сессий консолью можно пользоваться от вашего имени. Сессия сама заканчивается через несколько часов.',
    device: 'Устройство',
    origin: 'Открыта',
    origins: { 'mini-app': 'в Telegram', link: 'по ссылке от бота', playground: 'в песочнице' },
    lastUsed: 'Последний раз',
    expires: 'Закончится',
    here: 'эта сессия',
    action: 'Действие',
    end: 'Завершить',
    endOthers: 'Завершить все остальные',
    ended: 'Завершено.',
  },
});
