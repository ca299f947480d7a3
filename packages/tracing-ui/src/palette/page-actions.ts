import type { Command } from "./command.ts";

/** Selector of elements that a user can press or type into. */
const pressed = "a, button, input, select, textarea";

/**
 * The actions of the current page: buttons, links and fields with `data-command`, on themselves or on an
 * element that contains only them. The attribute has the title, or is empty when the element's own name is enough.
 * The palette clicks or focuses these elements, so an action works as on the page. A missing element means
 * that the action is unavailable.
 */
export function pageActions(page: ParentNode): readonly Command[] {
  const commands = new Map<string, Command>();
  for (const marked of page.querySelectorAll<HTMLElement>("[data-command]")) {
    const element = marked.matches(pressed) ? marked : marked.querySelector<HTMLElement>(pressed);
    if (element === null || element.matches(":disabled")) {
      continue;
    }
    const title = marked.dataset.command || element.ariaLabel || element.textContent.trim();
    if (title === "" || commands.has(title)) {
      continue;
    }
    const { key } = marked.dataset;
    commands.set(title, {
      id: `action ${title}`,
      title,
      ...(key === undefined ? {} : { key }),
      ...(element.title === "" || element.title === title ? {} : { note: element.title }),
      run() {
        if (element.matches("input, select, textarea")) {
          element.focus();
        } else {
          element.click();
        }
      },
    });
  }
  return [...commands.values()];
}
