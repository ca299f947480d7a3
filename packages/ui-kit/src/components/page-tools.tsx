import { zoneLabel } from "../format/format-time.ts";
import { themeChoice, zoneChoice } from "../theme/preferences.ts";
import { ChoiceSwitch } from "./choice-switch.tsx";
import { Icon } from "./icon.tsx";

/** Which clock times are shown in. */
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

/** The system's theme, or one of the two. */
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

/** Opens the list of keys. */
export function HelpButton({ onHelp }: { onHelp: () => void }) {
  return (
    <button type="button" className="icon-button" title="Keys (?)" aria-label="Show keys" onClick={onHelp}>
      <kbd>?</kbd>
    </button>
  );
}
