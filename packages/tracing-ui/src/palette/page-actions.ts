import type { Command } from "./command.ts";

/** Elements that can be pressed, or written in. */
const pressed = "a, button, input, select, textarea";

/**
 * The actions of the shown page: its buttons, links and fields with `data-command`, on themselves or on an
 * element around only them. The attribute has the title, or nothing when the element's own name is enough.
 * The palette presses these elements, so an action is the same wherever it starts, and a missing element is
 * no action.
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
