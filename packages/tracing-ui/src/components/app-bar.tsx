import "./app-bar.css";
import { Link } from "@tanstack/react-router";
import { TopBar } from "ui-kit/components/top-bar.tsx";
import { uiConfig } from "../links/ui-config.ts";
import { OwnMenu } from "./own-menu.tsx";
import { TraceJump } from "./trace-jump.tsx";

/**
 * The bar of this app: links to home and pages, the field for a trace id, sharing, and the command palette.
 * @param onHelp     called by the button that lists the keys
 * @param onCommands called by the button that opens the palette
 * @param onShare    called by "Share"
 */
export function AppBar(props: { onHelp: () => void; onCommands: () => void; onShare: () => void }) {
  const { onHelp, onCommands, onShare } = props;
  const home = (
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
  );
  const pages = (
    <>
      <Link to="/search">Search</Link>
      {uiConfig.monitor.menuEnabled && <Link to="/services">Services</Link>}
      <Link to="/exceptions">Exceptions</Link>
      <Link to="/objectives">Objectives</Link>
      <Link to="/changes">Changes</Link>
      {uiConfig.dependencies.menuEnabled && <Link to="/dependencies">Dependencies</Link>}
      <OwnMenu />
    </>
  );
  const tools = (
    <>
      <TraceJump />
      <button
        type="button"
        className="button"
        data-command="Share this page, saved views"
        title="Short link, and views saved for all"
        aria-haspopup="dialog"
        onClick={onShare}
      >
        Share
      </button>
      <button
        type="button"
        className="icon-button app-commands"
        title="All commands (Ctrl K)"
        aria-label="Show all commands, Ctrl K"
        aria-haspopup="dialog"
        onClick={onCommands}
      >
        <kbd>Ctrl K</kbd>
      </button>
    </>
  );
  return <TopBar {...{ home, pages, tools, onHelp }} hasThemes={uiConfig.themes.enabled} />;
}
