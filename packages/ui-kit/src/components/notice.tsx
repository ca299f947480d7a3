import "./notice.css";
import type { ReactNode } from "react";
import { Icon } from "./icon.tsx";

/**
 * The content of a page, or of a part, without data to show: the reason, and what to do next.
 * @param wholePage true: the notice is the only content of the page, and its title is the page's title
 */
export function Notice(props: {
  /** `error` adds an icon, and screen readers read it at once; they read `plain` at the next pause. */
  kind: "plain" | "error";
  /** The situation in a few words. */
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
