/** One thing that the command palette can do. */
export interface Command {
  /** Differs from that of all others in the list. */
  id: string;
  /** The action, as a verb and its object. */
  title: string;
  /** Stands beside the title: where it leads, or the subject. */
  note?: string;
  /** The key that does the same on the page. */
  key?: string;
  /** Does it. The palette is closed before, so that the command may move the focus. */
  run(): void;
}

/** Commands of one kind, under one head. */
export interface CommandGroup {
  title: string;
  /** The commands, the best first. */
  commands: readonly Command[];
}
