import { useState } from 'preact/hooks';
import { requestDeletion } from '../../../api/request.ts';
import type { AdmittedGroup } from '../../../api/types.ts';
import { type List, useQuery } from '../../../api/use-query.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Confirm } from '../../../ui/dialog.tsx';
import { LoadedList } from '../../../ui/loaded.tsx';
import { useAction } from '../../../ui/use-action.ts';
import { useTexts } from '../../../view-context.ts';
import { printUser } from '../../shared/to-name.ts';
import { texts } from './texts.ts';

/** Groups whose members may use the bot in private. */
export function AdmittedGroups() {
  const words = useTexts(texts);
  const groups = useQuery<List<AdmittedGroup>>('api/admitted-groups');
  return (
    <Card title={words.groups}>
      <LoadedList query={groups} empty={words.noGroups}>
        {(items) => (
          <ul class="settings-list">
            {items.map((group) => (
              <GroupItem key={group.telegram_id} group={group} onEnded={groups.reload} />
            ))}
          </ul>
        )}
      </LoadedList>
    </Card>
  );
}

interface GroupItemProps {
  readonly group: AdmittedGroup;
  readonly onEnded: () => void;
}

function GroupItem({ group, onEnded }: GroupItemProps) {
  const words = useTexts(texts);
  const [isEnding, setIsEnding] = useState(false);
  const { telegram_id: id, title, admitted_by: admin, admitted_by_name: adminName, works } = group;
  const name = title ?? `${id}`;
  const end = useAction(async () => {
    await requestDeletion(`api/admitted-groups/${id}`);
    setIsEnding(false);
    onEnded();
  });
  return (
    <li>
      <div>
        <strong>{name}</strong> <Badge kind={works ? 'good' : 'neutral'}>{works ? words.works : words.worksNot}</Badge>
        {admin !== null && <div class="dim">{words.admittedBy(printUser(admin, adminName), id)}</div>}
        {!works && <div class="dim">{words.formerAdmin}</div>}
      </div>
      <div class="buttons">
        <Button kind="danger" label={`${words.end}: ${name}`} onPress={() => setIsEnding(true)}>
          {words.end}
        </Button>
      </div>
      {isEnding && (
        <Confirm
          title={words.endTitle(name)}
          action={words.end}
          isRunning={end.isRunning}
          onConfirm={() => end.run()}
          onClose={() => setIsEnding(false)}
        >
          {words.endBody}
        </Confirm>
      )}
    </li>
  );
}
