import type { ReactNode } from "react";
import { Notice } from "./notice.tsx";

/** The page of an address that leads nowhere. @param children a link to where it continues */
export function NoSuchPage({ children }: { children: ReactNode }) {
  return (
    <Notice kind="plain" wholePage title="There is no such page">
      <p>The address leads nowhere. Go to the {children}.</p>
    </Notice>
  );
}
