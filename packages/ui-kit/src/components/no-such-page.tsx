import type { ReactNode } from "react";
import { Notice } from "./notice.tsx";

/** What an address shows that leads nowhere. @param children a link to where it goes on */
export function NoSuchPage({ children }: { children: ReactNode }) {
  return (
    <Notice kind="plain" wholePage title="There is no such page">
      <p>The address leads nowhere. Go to the {children}.</p>
    </Notice>
  );
}
