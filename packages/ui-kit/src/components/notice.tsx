import "./notice.css";
import type { ReactNode } from "react";
import { Icon } from "./icon.tsx";

/**
 * The whole answer of a page, or of a part, when there is no data to show: what is the case, and what to do next.
 * @param wholePage nothing else is on the page: its title is the page's
 */
export function Notice(props: {
  /** `error` adds an icon and is read out at once; `plain` is read out when the reader pauses. */
  kind: "plain" | "error";
  /** The state of affairs in a few words. */
  title: string;
  wholePage?: boolean;
  /** The next steps: sentences, links and buttons. */
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
