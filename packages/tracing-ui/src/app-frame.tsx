import "ui-kit/components/app-frame.css";
import { Outlet } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { isTyping } from "ui-kit/components/typing-target.ts";
import { AppBar } from "./components/app-bar.tsx";
import { AppHelp } from "./components/app-help.tsx";

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
      <AppBar onHelp={() => setHelp(true)} />
      <main className="app-page">
        <Outlet />
      </main>
      <AppHelp open={help} onClose={() => setHelp(false)} />
    </div>
  );
}
