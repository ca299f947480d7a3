import "./top-bar.css";
import { Link } from "@tanstack/react-router";
import { zoneLabel } from "../format/format-time.ts";
import { themeChoice, zoneChoice } from "../theme/preferences.ts";
import { ChoiceSwitch } from "./choice-switch.tsx";
import { Icon } from "./icon.tsx";
import { TraceJump } from "./trace-jump.tsx";

/** The bar at the top of every page: home, go to a trace, clock, theme, keys. */
export function TopBar({ onHelp }: { onHelp: () => void }) {
  return (
    <header className="top-bar">
      <Link to="/search" className="top-bar-home">
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <g fill="var(--accent)">
            <rect x="0" y="1.5" width="16" height="3" rx="1" />
            <rect x="3" y="6.5" width="7" height="3" rx="1" opacity="0.7" />
            <rect x="8" y="11.5" width="8" height="3" rx="1" opacity="0.85" />
          </g>
        </svg>
        Tracing
      </Link>
      <nav className="top-bar-pages" aria-label="Pages">
        <Link to="/search">Search</Link>
        <Link to="/services">Services</Link>
        <Link to="/dependencies">Dependencies</Link>
      </nav>
      <div className="top-bar-tools">
        <TraceJump />
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
        <button
          type="button"
          className="icon-button"
          title="Keys (?)"
          aria-label="Show keys"
          onClick={onHelp}
        >
          <kbd>?</kbd>
        </button>
      </div>
    </header>
  );
}
