package series

import "strings"

// ArmSetting returns the value of KeyArm for an arm: its settings without the toolchain,
// which has a key of its own. An arm that differs in nothing else has no KeyArm, so that
// benchstat -col toolchain puts toolchains side by side.
func ArmSetting(arm, toolchain string) string {
	return strings.TrimPrefix(strings.TrimPrefix(arm, toolchain), " ")
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
