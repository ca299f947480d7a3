import "./app-frame.css";
import { Outlet } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { HelpDialog } from "./components/help-dialog.tsx";
import { TopBar } from "./components/top-bar.tsx";
import { isTyping } from "./components/typing-target.ts";

/** What is around every page: the bar, the help, and the keys that work everywhere. */
export function AppFrame() {
  const [help, setHelp] = useState(false);

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "?") setHelp((open) => !open);
      else if (event.key === "g") document.getElementById("trace-jump")?.focus();
      else if (event.key === "/") document.querySelector<HTMLElement>("[data-slash]")?.focus();
      else return;
      event.preventDefault();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);

  return (
    <div className="app-frame">
      <TopBar onHelp={() => setHelp(true)} />
      <main className="app-page">
        <Outlet />
      </main>
      <HelpDialog open={help} onClose={() => setHelp(false)} />
    </div>
  );
}
