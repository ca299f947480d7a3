import { type ReactNode, useEffect } from "react";
import { Notice } from "./notice.tsx";

/** The page for an unknown address. @param children a link to an existing page */
export function NoSuchPage({ children }: { children: ReactNode }) {
  useEffect(() => {
    const [app = ""] = document.title.split(" · ").slice(-1);
    document.title = `No such page · ${app}`;
  }, []);
  return (
    <Notice kind="plain" wholePage title="There is no such page">
      <p>The address leads nowhere. Go to the {children}.</p>
    </Notice>
  );
}
