import { type RefObject, useEffect } from "react";
import { isTyping } from "ui-kit/components/typing-target.ts";

/**
 * Moves the focus through a list with `j` and `k`. The key `l` opens the focused entry, like Enter. The listener is
 * removed with the list.
 * @param links CSS selector of the list's links
 */
export function useListKeys(list: RefObject<HTMLElement | null>, links: string): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) {
        return;
      }
      const all = [...(list.current?.querySelectorAll<HTMLElement>(links) ?? [])];
      const at = all.findIndex((link) => link.matches(":focus"));
      if (event.key === "j") {
        all[Math.min(at + 1, all.length - 1)]?.focus();
      } else if (event.key === "k") {
        all[Math.max(at - 1, 0)]?.focus();
      } else if (event.key === "l" && at !== -1) {
        all[at]?.click();
      } else {
        return;
      }
      event.preventDefault();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [list, links]);
}
