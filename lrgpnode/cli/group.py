"""A command with commands below it: ``lrgpnode games [ID]`` beside ``lrgpnode games export ID``."""

from __future__ import annotations

from typing import Any

import click


class DefaultGroup(click.Group):
    """What is none of its commands goes to ``default``, which is the group's own help and options."""

    def __init__(self, *args: Any, default: click.Command, **attributes: Any) -> None:
        super().__init__(*args, help=default.help, **attributes)
        assert default.name is not None
        self.default = default

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return self.default if cmd_name == self.default.name else super().get_command(ctx, cmd_name)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        own = {*self.commands, self.default.name, *ctx.help_option_names}
        if not args or args[0] not in own:
            args = [str(self.default.name), *args]
        return super().parse_args(ctx, args)

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        return [*self.default.collect_usage_pieces(ctx), "| COMMAND [ARGS]..."]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.default.format_options(ctx, formatter)
        self.format_commands(ctx, formatter)
