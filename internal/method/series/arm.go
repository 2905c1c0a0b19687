package series

import "strings"

// ArmSetting returns the value of KeyArm for an arm: its settings without the toolchain,
// which has a key of its own. An arm that differs in nothing else has no KeyArm, so that
// benchstat -col toolchain puts toolchains side by side.
func ArmSetting(arm, toolchain string) string {
	return strings.TrimPrefix(strings.TrimPrefix(arm, toolchain), " ")
}

// ToolchainKey returns the key that holds the toolchain of an arm: KeyBuiltWith where the
// arm's name does not begin with the toolchain, as that of a side of a comparison ("HEAD~1"),
// and could not be told from it and the setting.
func ToolchainKey(arm, toolchain string) string {
	if ArmName(toolchain, ArmSetting(arm, toolchain)) == arm {
		return KeyToolchain
	}
	return KeyBuiltWith
}

// ArmName returns the arm that ArmSetting was taken from.
func ArmName(toolchain, setting string) string {
	switch {
	case setting == "":
		return toolchain
	case toolchain == "" || setting == toolchain || strings.HasPrefix(setting, toolchain+" "):
		return setting
	}
	return toolchain + " " + setting
}
