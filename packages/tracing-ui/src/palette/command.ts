/** A command of the command palette. */
export interface Command {
  /** Id, unique in the list. */
  id: string;
  /** Title: the action, as a verb and its object. */
  title: string;
  /** Text beside the title: the target or the subject of the command. */
  note?: string;
  /** Key with the same effect on the page. */
  key?: string;
  /** Runs the command. The palette has closed before, so the command may move the focus. */
  run(): void;
}

/** Commands of one kind, below one heading. */
export interface CommandGroup {
  title: string;
  /** The commands, best match first. */
  commands: readonly Command[];
}
