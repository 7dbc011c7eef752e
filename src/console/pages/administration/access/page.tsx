import type { AccessRequests as Answer, System } from '../../../api/types.ts';
import { useQuery, useRefresh } from '../../../api/use-query.ts';
import type { Page } from '../../../page.ts';
import { Loaded } from '../../../ui/loaded.tsx';
import { useTexts } from '../../../view-context.ts';
import { AdmittedGroups } from './admitted-groups.tsx';
import { Invitations } from './invitations.tsx';
import { AccessRequests } from './requests.tsx';
import { texts } from './texts.ts';

/** Access to a private service: requests, invitations, admitted groups. */
export const accessPage: Page = {
  name: 'access',
  title: { en: 'Access', ru: 'Доступ' },
  icon: 'key',
  isForAdmins: true,
  View: AccessView,
};

const REFRESH_MS = 5000;

function AccessView() {
  const words = useTexts(texts);
  const system = useQuery<System>('api/system');
  const requests = useQuery<Answer>('api/access-requests');
  useRefresh(requests.reload, REFRESH_MS);
  return (
    <Loaded query={system}>
      {({ private: isPrivate }) => (
        <>
          <p class="dim">{isPrivate ? words.about : words.openToAll}</p>
          <AccessRequests requests={requests} />
          <Invitations canInvite={isPrivate} plans={requests.data?.plans ?? []} />
          <AdmittedGroups />
        </>
      )}
    </Loaded>
  );
}
