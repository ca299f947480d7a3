@rem npm on Windows runs scripts in cmd.exe: "exec node ..." in package.json, which lets signals through a POSIX shell, is this there.
@%*
