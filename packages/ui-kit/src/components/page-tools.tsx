import { zoneLabel } from "../format/format-time.ts";
import { themeChoice, zoneChoice } from "../theme/preferences.ts";
import { ChoiceSwitch } from "./choice-switch.tsx";
import { Icon } from "./icon.tsx";

/** Switch for the time zone of shown times. */
export function ZoneSwitch() {
  return (
    <ChoiceSwitch
      label="Time zone"
      choice={zoneChoice}
      options={[
        { value: "utc", content: "UTC", label: "Times in UTC" },
        {
          value: "local",
          content: `Local ${zoneLabel("local", new Date())}`,
          label: `Local ${zoneLabel("local", new Date())}: times in the browser's own zone`,
        },
      ]}
    />
  );
}

/** Switch for the theme: system, light or dark. */
export function ThemeSwitch() {
  return (
    <ChoiceSwitch
      label="Theme"
      choice={themeChoice}
      options={[
        { value: "system", content: <Icon name="system" />, label: "Theme of the system" },
        { value: "light", content: <Icon name="light" />, label: "Light theme" },
        { value: "dark", content: <Icon name="dark" />, label: "Dark theme" },
      ]}
    />
  );
}

/** Button that opens the list of keys. */
export function HelpButton({ onHelp }: { onHelp: () => void }) {
  return (
    <button type="button" className="icon-button" title="Keys (?)" aria-label="Show keys" onClick={onHelp}>
      <kbd>?</kbd>
    </button>
  );
}
