import "ui-kit/components/app-frame.css";
import "./offline-frame.css";
import { Outlet } from "@tanstack/react-router";
import { useState } from "react";
import { HelpButton, ThemeSwitch, ZoneSwitch } from "ui-kit/components/page-tools.tsx";
import { clockText, dateText } from "ui-kit/format/format-time.ts";
import { zoneChoice } from "ui-kit/theme/preferences.ts";
import { useChoice } from "ui-kit/theme/stored-choice.ts";
import { AppHelp } from "../components/app-help.tsx";

/**
 * The frame of a saved trace: time of saving, time zone, theme and keys. Only its button opens the list of keys.
 * @param savedAt milliseconds since 1970
 */
export function OfflineFrame({ savedAt }: { savedAt: number }) {
  const [help, setHelp] = useState(false);
  const zone = useChoice(zoneChoice);
  return (
    <div className="app-frame">
      <header className="offline-bar">
        <span>
          Saved {dateText(savedAt * 1_000, zone)} {clockText(savedAt * 1_000, zone).slice(0, 8)}
        </span>
        <ZoneSwitch />
        <ThemeSwitch />
        <HelpButton onHelp={() => setHelp(true)} />
      </header>
      <main className="app-page">
        <Outlet />
      </main>
      <AppHelp open={help} onClose={() => setHelp(false)} />
    </div>
  );
}
