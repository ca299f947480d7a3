import "ui-kit/components/app-frame.css";
import "./app-frame.css";
import { Outlet, useLocation, useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { Icon } from "ui-kit/components/icon.tsx";
import { SkipLink } from "ui-kit/components/skip-link.tsx";
import { isTyping } from "ui-kit/components/typing-target.ts";
import { clockText } from "ui-kit/format/format-time.ts";
import { zoneChoice } from "ui-kit/theme/preferences.ts";
import { useChoice } from "ui-kit/theme/stored-choice.ts";
import { useServerGoneSince } from "./api/server-presence.ts";
import { AppBar } from "./components/app-bar.tsx";
import { AppHelp } from "./components/app-help.tsx";
import { pages } from "./page-list.ts";

/**
 * The frame of every page: the bar, the help, global keys, and a notice when the server is unreachable.
 *
 * Keys: `?` shows or hides the help, `/` goes to the page's filter, `1` to `9` go to a page.
 */
export function AppFrame() {
  const [help, setHelp] = useState(false);
  const navigate = useNavigate();
  const { pathname } = useLocation();

  // The tab's title has the name of the page, so that tabs and history entries are distinguishable.
  useEffect(() => {
    const name = pages.find(({ path }) => path === pathname)?.name ?? "No such page";
    document.title = `${name} · Server`;
  }, [pathname]);

  useEffect(() => {
    // Letters typed into a field are text, and keys with Ctrl, Alt or Meta belong to the browser.
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) {
        return;
      }
      const page = pages[Number(event.key) - 1];
      if (event.key === "?") {
        setHelp((open) => !open);
      } else if (event.key === "/") {
        document.querySelector<HTMLElement>("[data-slash]")?.focus();
      } else if (page !== undefined) {
        void navigate({ to: page.path });
      } else {
        return;
      }
      event.preventDefault();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [navigate]);

  return (
    <div className="app-frame">
      <SkipLink />
      <AppBar onHelp={() => setHelp(true)} />
      <GoneBar />
      <main id="main" tabIndex={-1} className="app-page">
        <Outlet />
      </main>
      <AppHelp open={help} onClose={() => setHelp(false)} />
    </div>
  );
}

/**
 * The notice below the bar: how long the server has not responded. Empty while it responds; the region stays in the
 * page, so that screen readers announce new content.
 */
function GoneBar() {
  const since = useServerGoneSince();
  const zone = useChoice(zoneChoice);
  return (
    <div role="status">
      {since !== undefined && (
        <div className="gone-bar">
          <Icon name="error" />
          <span>
            The server does not answer since {clockText(since * 1_000, zone).slice(0, 8)}. What you see is
            from before; it is asked again every two seconds.
          </span>
        </div>
      )}
    </div>
  );
}
