import { useState } from 'preact/hooks';
import { download, request, requestTagged, type Tagged } from '../../../api/request.ts';
import type { SettingAnswer, SettingEffect, SettingsList } from '../../../api/types.ts';
import { useQuery } from '../../../api/use-query.ts';
import { useTimeFormat } from '../../../formats.ts';
import type { Page } from '../../../page.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { saveFile } from '../../../ui/save-file.ts';
import { showToast } from '../../../ui/toasts.tsx';
import { useAction } from '../../../ui/use-action.ts';
import { useTexts } from '../../../view-context.ts';
import { printUser } from '../../shared/to-name.ts';
import { AddDialog, EditDialog, RemoveDialog } from './dialogs.tsx';
import { texts as fieldTexts } from './field-texts.ts';
import { summarizeEntry } from './summarize-entry.ts';
import { texts } from './texts.ts';

/** Settings that admins make while the service runs. */
export const serviceSettingsPage: Page = {
  name: 'service-settings',
  title: { en: 'Service settings', ru: 'Настройки сервиса' },
  icon: 'switches',
  isForAdmins: true,
  View: ServiceSettingsView,
};

const ENTRY_KINDS = ['provider', 'alias', 'plan', 'budget', 'tool'] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

function ServiceSettingsView() {
  const words = useTexts(texts);
  const settings = useQuery<SettingsList>('api/settings');
  const exporting = useAction(async () => saveFile(await download('api/settings/export'), 'providers.yaml'));
  return (
    <Loaded query={settings}>
      {({ data, obstacle, ...shapes }) => (
        <>
          <p class="dim">{words.about}</p>
          <div class="buttons">
            <Button isBusy={exporting.isRunning} onPress={() => exporting.run()}>
              {words.export}
            </Button>
          </div>
          {obstacle !== null && <p role="alert">{words.obstacle(obstacle)}</p>}
          <Card title={words.kinds.variable}>
            <Settings
              {...shapes}
              settings={data.filter(({ kind }) => kind === 'variable')}
              onChanged={settings.reload}
            />
          </Card>
          {ENTRY_KINDS.map((kind) => (
            <EntriesCard
              key={kind}
              kind={kind}
              settings={data.filter((setting) => setting.kind === kind)}
              {...shapes}
              onChanged={settings.reload}
            />
          ))}
        </>
      )}
    </Loaded>
  );
}

interface SettingsProps extends Pick<SettingsList, 'forms' | 'presets'> {
  readonly settings: readonly SettingAnswer[];
  readonly onChanged: () => void;
}

function EntriesCard({ kind, ...props }: SettingsProps & { readonly kind: EntryKind }) {
  const { settings, forms, presets, onChanged } = props;
  const words = useTexts(texts);
  const [isAdding, setIsAdding] = useState(false);
  const isFull = kind === 'budget' && settings.some(({ origin }) => origin !== 'removed');
  const add = (
    <Button label={`${words.add}: ${words.kinds[kind]}`} onPress={() => setIsAdding(true)}>
      {words.add}
    </Button>
  );
  return (
    <Card title={words.kinds[kind]} actions={isFull ? undefined : add}>
      {settings.length === 0 ? <p class="dim">{words.none}</p> : <Settings {...props} />}
      {isAdding && <AddDialog {...{ kind, forms, presets, onChanged }} onClose={() => setIsAdding(false)} />}
    </Card>
  );
}

function Settings({ settings, ...props }: SettingsProps) {
  return (
    <ul class="settings-list">
      {settings.map((setting) => (
        <Setting key={setting.id} setting={setting} {...props} />
      ))}
    </ul>
  );
}

interface SettingProps extends Omit<SettingsProps, 'settings'> {
  readonly setting: SettingAnswer;
}

function Setting({ setting, forms, presets, onChanged }: SettingProps) {
  const words = useTexts(texts);
  const fieldWords = useTexts(fieldTexts);
  const formatTime = useTimeFormat();
  const [open, setOpen] = useState<{ readonly dialog: 'edit' | 'remove'; readonly read: Tagged<SettingAnswer> }>();
  const show = useAction(async (dialog: 'edit' | 'remove') => {
    setOpen({ dialog, read: await requestTagged<SettingAnswer>('GET', `api/settings/${setting.id}`) });
  });
  const {
    id,
    kind,
    name,
    origin,
    value,
    form: filled,
    secret,
    problem,
    version,
    changed_by: admin,
    changed_by_name: adminName,
    changed_at: time,
  } = setting;
  const undo = useAction(async () => {
    const { effect } = await request<SettingEffect>('POST', `api/settings/${id}/undo`, { body: {} });
    showToast(words.effects[effect]);
    onChanged();
  });
  const close = () => setOpen(undefined);
  const title = kind === 'variable' ? words.titles[name] : kind === 'budget' ? words.kinds.budget : undefined;
  const isFixed = origin === 'environment' || origin === 'file';
  const fields = forms.find((form) => form.name === filled?.name)?.fields ?? [];
  const summary = filled ? summarizeEntry(fields, filled.value, fieldWords).join(' · ') : '';
  const content = typeof value === 'string' ? (secret ? '••••••••' : value) : '';
  const shown = kind === 'variable' ? content : summary;
  return (
    <li>
      <div>
        <strong>{title ?? name}</strong> {title !== undefined && <code>{name}</code>}{' '}
        <Badge>{words.origins[origin]}</Badge>
        {shown !== '' && <div>{shown}</div>}
        {problem !== null && <div class="error">{words.notInForce(problem)}</div>}
        {admin !== null && time !== null && (
          <div class="dim">{words.changed(printUser(admin, adminName), formatTime(time))}</div>
        )}
      </div>
      {!isFixed && (
        <div class="buttons">
          {(kind === 'variable' || origin === 'stored') && (
            <Button
              label={`${origin === 'removed' ? words.set : words.edit}: ${name}`}
              onPress={() => show.run('edit')}
            >
              {origin === 'removed' ? words.set : words.edit}
            </Button>
          )}
          {version !== null && (
            <Button label={`${words.undo}: ${name}`} isBusy={undo.isRunning} onPress={() => undo.run()}>
              {words.undo}
            </Button>
          )}
          {origin === 'stored' && (
            <Button kind="danger" label={`${words.remove}: ${name}`} onPress={() => show.run('remove')}>
              {words.remove}
            </Button>
          )}
        </div>
      )}
      {open?.dialog === 'edit' && <EditDialog {...{ forms, presets, onChanged }} read={open.read} onClose={close} />}
      {open?.dialog === 'remove' && <RemoveDialog read={open.read} onChanged={onChanged} onClose={close} />}
    </li>
  );
}
