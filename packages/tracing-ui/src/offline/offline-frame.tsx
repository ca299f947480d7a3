import "../app-frame.css";
import "../components/top-bar.css";
import "./offline-frame.css";
import { Outlet } from "@tanstack/react-router";
import { useState } from "react";
import { ChoiceSwitch } from "../components/choice-switch.tsx";
import { HelpDialog } from "../components/help-dialog.tsx";
import { Icon } from "../components/icon.tsx";
import { clockText, dateText, zoneLabel } from "../format/format-time.ts";
import { themeChoice, zoneChoice } from "../theme/preferences.ts";
import { useChoice } from "../theme/stored-choice.ts";

/** What is around a saved trace: when it was saved, clock, theme and keys. @param savedAt milliseconds since 1970 */
export function OfflineFrame({ savedAt }: { savedAt: number }) {
  const [help, setHelp] = useState(false);
  const zone = useChoice(zoneChoice);
  return (
    <div className="app-frame">
      <header className="offline-bar">
        <span>
          Saved {dateText(savedAt * 1_000, zone)} {clockText(savedAt * 1_000, zone).slice(0, 8)}
        </span>
        <ChoiceSwitch
          label="Time zone"
          choice={zoneChoice}
          options={[
            { value: "utc", content: "UTC", label: "Times in UTC" },
            {
              value: "local",
              content: `Local ${zoneLabel("local", new Date())}`,
              label: "Times in the browser's own zone",
            },
          ]}
        />
        <ChoiceSwitch
          label="Theme"
          choice={themeChoice}
          options={[
            { value: "system", content: <Icon name="system" />, label: "Theme of the system" },
            { value: "light", content: <Icon name="light" />, label: "Light theme" },
            { value: "dark", content: <Icon name="dark" />, label: "Dark theme" },
          ]}
        />
        <button type="button" className="icon-button" aria-label="Show keys" onClick={() => setHelp(true)}>
          <kbd>?</kbd>
        </button>
      </header>
      <main className="app-page">
        <Outlet />
      </main>
      <HelpDialog open={help} onClose={() => setHelp(false)} />
    </div>
  );
}
