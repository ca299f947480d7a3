/** The shells for which `server completion` has a script. */
export const completionShells = ["bash", "zsh", "fish", "powershell"] as const;
export type CompletionShell = (typeof completionShells)[number];
