import "ui-kit/components/app-frame.css";
import { Outlet } from "@tanstack/react-router";
import { lazy, Suspense, useCallback, useEffect, useState } from "react";
import { SkipLink } from "ui-kit/components/skip-link.tsx";
import { isTyping } from "ui-kit/components/typing-target.ts";
import { AppBar } from "./components/app-bar.tsx";
import { PartialBanner } from "./components/partial-banner.tsx";
import { embedding } from "./links/embedding.ts";

const AppHelp = lazy(() => import("./components/app-help.tsx").then((file) => ({ default: file.AppHelp })));
const CommandPalette = lazy(() =>
  import("./palette/command-palette.tsx").then((file) => ({ default: file.CommandPalette })),
);
const ShareDialog = lazy(() =>
  import("./components/share/share-dialog.tsx").then((file) => ({ default: file.ShareDialog })),
);

/**
 * The frame of every page: the bar, the help, the command palette, and the keys that work everywhere. Help,
 * palette and sharing are loaded when they are first opened. Inside a frame of another site the bar is left
 * out.
 *
 * Keys: `?` shows or hides the help, `g` focuses the field for a trace id, `/` the page's filter, Ctrl K
 * opens the palette.
 */
export function AppFrame() {
  const [help, setHelp] = useState(false);
  const [palette, setPalette] = useState(false);
  const [share, setShare] = useState(false);
  const showHelp = useCallback(() => setHelp(true), []);
  const showPalette = useCallback(() => {
    // One dialog at a time: a second dialog below would take the focus when the upper one closes.
    setHelp(false);
    setPalette(true);
  }, []);

  useFrameKeys(
    showPalette,
    useCallback(() => setHelp((open) => !open), []),
  );

  return (
    <div className="app-frame">
      <SkipLink />
      {!embedding.isEmbedded && (
        <AppBar onHelp={showHelp} onCommands={showPalette} onShare={() => setShare(true)} />
      )}
      <main id="main" tabIndex={-1} className="app-page">
        <PartialBanner />
        <Outlet />
      </main>
      {help && (
        <Suspense fallback={null}>
          <AppHelp open onClose={() => setHelp(false)} />
        </Suspense>
      )}
      {palette && (
        <Suspense fallback={null}>
          <CommandPalette onClose={() => setPalette(false)} onHelp={showHelp} />
        </Suspense>
      )}
      {share && (
        <Suspense fallback={null}>
          <ShareDialog onClose={() => setShare(false)} />
        </Suspense>
      )}
    </div>
  );
}

/**
 * Handles the keys that work on every page. The listener is removed with the frame.
 * @param onPalette opens the command palette
 * @param onHelp    shows or hides the list of keys
 */
function useFrameKeys(onPalette: () => void, onHelp: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      // Ctrl K also works while the user types, because it enters no letter.
      if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "k") {
        event.preventDefault();
        onPalette();
        return;
      }
      if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) {
        return;
      }
      if (event.key === "?") {
        onHelp();
      } else if (event.key === "g") {
        document.getElementById("trace-jump")?.focus();
      } else if (event.key === "/") {
        document.querySelector<HTMLElement>("[data-slash]")?.focus();
      } else {
        return;
      }
      event.preventDefault();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [onPalette, onHelp]);
}
