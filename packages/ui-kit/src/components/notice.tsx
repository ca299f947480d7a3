import "./notice.css";
import type { ReactNode } from "react";
import { Icon } from "./icon.tsx";

/**
 * The whole answer of a page, or of a part, when there is no data to show: what is the case, and what to do next.
 * @param wholePage nothing else is on the page: its title is the page's
 */
export function Notice(props: {
  kind: "plain" | "error";
  title: string;
  wholePage?: boolean;
  children: ReactNode;
}) {
  const { kind, title, wholePage = false, children } = props;
  const Heading = wholePage ? "h1" : "h2";
  return (
    <section className="notice" role={kind === "error" ? "alert" : "status"}>
      <Heading className="notice-title">
        {kind === "error" && <Icon name="error" className="notice-error" />}
        {title}
      </Heading>
      <div className="notice-text">{children}</div>
    </section>
  );
}
