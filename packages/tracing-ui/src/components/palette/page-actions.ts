import type { Command } from "./command.ts";

/** What can be pressed, or written in. */
const pressed = "a, button, input, select, textarea";

/**
 * What the page that is shown offers now: its buttons, links and fields that carry `data-command`, themselves or on
 * what is around them alone. It holds the title, or nothing where the element's own name says enough. The palette presses them, so that an action is the same
 * wherever it is started, and what the page does not offer is not there.
 */
export function pageActions(page: ParentNode): readonly Command[] {
  const commands = new Map<string, Command>();
  for (const marked of page.querySelectorAll<HTMLElement>("[data-command]")) {
    const element = marked.matches(pressed) ? marked : marked.querySelector<HTMLElement>(pressed);
    if (element === null || element.matches(":disabled")) continue;
    const title = marked.dataset.command || element.ariaLabel || element.textContent.trim();
    if (title === "" || commands.has(title)) continue;
    const { key } = marked.dataset;
    commands.set(title, {
      id: `action ${title}`,
      title,
      ...(key === undefined ? {} : { key }),
      ...(element.title === "" || element.title === title ? {} : { note: element.title }),
      run() {
        if (element.matches("input, select, textarea")) element.focus();
        else element.click();
      },
    });
  }
  return [...commands.values()];
}
