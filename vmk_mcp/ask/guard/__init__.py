"""The guard: decides which statement may run; pure, reads no clock, no file of others and no database."""

from vmk_mcp.ask.guard.checked import CheckedSelect, check
from vmk_mcp.ask.guard.limits import GuardLimits
from vmk_mcp.ask.guard.plan import PlanVerdict, check_plan

__all__ = ["CheckedSelect", "GuardLimits", "PlanVerdict", "check", "check_plan"]
