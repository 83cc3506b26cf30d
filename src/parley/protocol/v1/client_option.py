"""How a client of version 1 sets an option: as a config option, or in one of the older forms."""

from typing import Any

import parley.schema.v1 as v1
from parley.protocol.endpoint import Endpoint
from parley.protocol.v1.client_check import checked_value
from parley.protocol.v1.dialect import SetModelRequest
from parley.protocol.v1.option import Offered
from parley.session.option import Option, OptionValue


class Choosing:
    """Sets options of one session, through the form in which the agent offers them."""

    def __init__(
        self, endpoint: Endpoint, deadline: float, session_id: str, offered: Offered
    ) -> None:
        self._endpoint = endpoint
        self._deadline = deadline
        self._session_id = session_id
        self._offered = offered

    async def set(self, option_id: str, value: OptionValue) -> tuple[Option, ...]:
        """Set an option; the complete list as it is afterwards.

        Raises:
            LocalProtocolError: the session offers no such option or value.
        """
        value = checked_value(self._offered, option_id, value)
        match self._offered.setter(option_id):
            case "config":
                await self._set_config(option_id, value)
            case "mode":
                request = v1.SetSessionModeRequest(session_id=self._session_id, mode_id=str(value))
                await self._endpoint.request(request, timeout=self._deadline)
                self._offered.chosen(option_id, value)
            case "model":
                model = SetModelRequest(session_id=self._session_id, model_id=str(value))
                await self._endpoint.request(model, timeout=self._deadline)
                self._offered.chosen(option_id, value)
        return self._offered.all

    async def _set_config(self, option_id: str, value: OptionValue) -> None:
        listed = True

        def without_list(answer: dict[str, Any]) -> str:
            nonlocal listed
            listed = False
            answer["configOptions"] = []
            return "option answer without a list"

        answer = await self._endpoint.request(
            self._config_request(option_id, value),
            timeout=self._deadline,
            repairs=(without_list,),
        )
        if listed:
            self._offered.configured(answer.config_options)
        else:
            self._offered.chosen(option_id, value)  # Until the next list says otherwise.

    def _config_request(
        self, option_id: str, value: OptionValue
    ) -> v1.SetBooleanConfigOption | v1.SetSelectConfigOption:
        if isinstance(value, bool):  # V1-CFG-07: a boolean says its type, an id does not.
            return v1.SetBooleanConfigOption(
                session_id=self._session_id, config_id=option_id, value=value
            )
        return v1.SetSelectConfigOption(
            session_id=self._session_id, config_id=option_id, value=value
        )
