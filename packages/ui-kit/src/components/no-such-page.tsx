import type { ReactNode } from "react";
import { Notice } from "./notice.tsx";

/** The page for an unknown address. @param children a link to an existing page */
export function NoSuchPage({ children }: { children: ReactNode }) {
  return (
    <Notice kind="plain" wholePage title="There is no such page">
      <p>The address leads nowhere. Go to the {children}.</p>
    </Notice>
  );
}
