import { useMemo } from 'preact/hooks';
import { localeCodes } from '../../../../texts/locale.ts';
import type { Settings } from '../../../api/types.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { OptionalChoice } from '../../../ui/field.tsx';
import { useTexts } from '../../../view-context.ts';
import { texts } from './texts.ts';
import type { ChangeSettings } from './use-settings.ts';

interface GeneralSettingsProps {
  readonly settings: Settings;
  readonly guessedTimeZone: string;
  readonly onChange: ChangeSettings;
}

/** Language and time zone. */
export function GeneralSettings({ settings, guessedTimeZone, onChange }: GeneralSettingsProps) {
  const words = useTexts(texts);
  const { language, time_zone: timeZone } = settings;
  const deviceZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const zones = useMemo(() => listTimeZones(timeZone), [timeZone]);
  return (
    <Card title={words.general}>
      <div class="fields">
        <OptionalChoice
          label={words.language}
          hint={words.languageHint}
          unset={words.asInTelegram}
          options={LANGUAGES}
          value={language}
          onChange={(chosen) => onChange({ language: chosen })}
        />
        <OptionalChoice
          label={words.timeZone}
          hint={words.timeZoneHint}
          unset={words.guessedTimeZone(guessedTimeZone)}
          options={zones}
          value={timeZone}
          onChange={(chosen) => onChange({ time_zone: chosen })}
        />
      </div>
      {timeZone !== deviceZone && (
        <div class="buttons">
          <Button onPress={() => onChange({ time_zone: deviceZone })}>{words.asOnDevice(deviceZone)}</Button>
        </div>
      )}
    </Card>
  );
}

/** Languages by code, each under its own name. */
const LANGUAGES: Readonly<Record<string, string>> = Object.fromEntries(
  localeCodes.map((code) => {
    const name = new Intl.DisplayNames(code, { type: 'language' }).of(code) ?? code;
    return [code, name.charAt(0).toUpperCase() + name.slice(1)];
  }),
);

/** Returns the time zones that the browser knows, and the chosen one. */
function listTimeZones(chosen: string | null): Readonly<Record<string, string>> {
  const names = new Set([...(chosen === null ? [] : [chosen]), 'UTC', ...Intl.supportedValuesOf('timeZone')]);
  return Object.fromEntries([...names].map((name) => [name, name.replaceAll('_', ' ')]));
}
